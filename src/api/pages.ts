/** Collects the pages of a list, whatever the service does about paging. */

/** One page; `totalPages` only where the service says it. */
export interface Page<T> {
  items: readonly T[];
  totalPages: number | undefined;
}

const PAGE_SIZE = 100;

/**
 * Asks for page after page until one brings nothing new, or the last one that the service announced was met.
 * Each id is kept once, so that repeated pages and items end the collection instead of doubling it.
 */
export async function collectPages<T extends { id: string }>(
  fetchPage: (page: number, size: number) => Promise<Page<T>>,
): Promise<T[]> {
  const byId = new Map<string, T>();
  for (let page = 1; ; page++) {
    const { items, totalPages } = await fetchPage(page, PAGE_SIZE);
    const before = byId.size;
    for (const item of items) if (!byId.has(item.id)) byId.set(item.id, item);
    const isLast = totalPages === undefined ? items.length < PAGE_SIZE && page > 1 : page >= totalPages;
    if (isLast || byId.size === before) return [...byId.values()];
  }
}
