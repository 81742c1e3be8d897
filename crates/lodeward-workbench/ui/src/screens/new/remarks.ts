// Remarks of the service about the seeds of a crawl that was just started, for its overview.
const remarks = new Map<number, string[]>();

export const noteRemarks = (crawl: number, texts: string[]): void => void remarks.set(crawl, texts);
export const remarksOf = (crawl: number): string[] => remarks.get(crawl) ?? [];
