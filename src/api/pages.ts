/** Collects the pages of a list, whatever the service does about paging. */

/** One page; `totalPages` only where the service says it. */
export interface Page<T> {
  items: readonly T[];
  totalPages: number | undefined;
}

const PAGE_SIZE = 100;

/**
 * Asks for page after page until one brings nothing new, or the last one that the service announced was met.
 * Each id is kept once, so that repeated pages and items end the collection instead of doubling it; a service that
 * repeats a page although it claims to have more gets a warning.
 */
export async function collectPages<T extends { id: string }>(
  warn: (text: string) => void,
  fetchPage: (page: number, size: number) => Promise<Page<T>>,
): Promise<T[]> {
  const byId = new Map<string, T>();
  for (let number = 1; ; number++) {
    const page = await fetchPage(number, PAGE_SIZE);
    const fresh = page.items.filter(({ id }) => !byId.has(id));
    for (const item of fresh) byId.set(item.id, item);
    if (fresh.length === 0 && claimsMore(page)) {
      warn(`the service repeats a page of its list (page ${number}); what it does not show cannot be listed`);
    }
    if (fresh.length === 0 || isLast(page, number)) return [...byId.values()];
  }
}

/** Without totals, a page that is not full is taken for the last one, but for the first: the size may be ignored. */
function isLast<T>({ items, totalPages }: Page<T>, number: number): boolean {
  return totalPages === undefined ? number > 1 && items.length < PAGE_SIZE : number >= totalPages;
}

/** A service that does not page gives its whole list again, which is no fault. */
const claimsMore = <T>({ items, totalPages }: Page<T>) =>
  items.length > 0 && (totalPages !== undefined || items.length === PAGE_SIZE);
