// Whether the service has been updated since the page was loaded.
export const update = $state({ available: false });

export function noteUpdate(): void {
  update.available = true;
}
