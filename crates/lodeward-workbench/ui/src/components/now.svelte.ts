// The current time, updated every ten seconds, for relative times.
export const now = $state({ time: Date.now() });

setInterval(() => (now.time = Date.now()), 10_000);
