// Changes that this tab has not been able to store yet. Leaving the page then asks first.
export const pending = $state({ marks: 0 });

globalThis.addEventListener?.('beforeunload', (event) => {
  if (pending.marks > 0) event.preventDefault();
});
