/** Collects the pages of a list. */
import { CliError } from '../errors.ts';
import type { NextPage } from './next-page.ts';

/** Totals of the service, if it returns them. */
interface Totals {
  totalPages: number | undefined;
  totalItems: number | undefined;
}

export interface Page<T> extends Totals {
  items: readonly T[];
  /** The next page, if the service names one. */
  next: NextPage | undefined;
}

/** A page to request: by `query` if the page before named it, otherwise by its number, from 1. */
export interface PageRequest {
  number: number;
  size: number;
  query: string | undefined;
}

export interface ListResult<T> {
  items: T[];
  /** Why the list may be incomplete: the service reports more items than it returned. */
  incompleteReason: string | undefined;
}

const PAGE_SIZE = 100;
/** The list ends after this many pages in a row without new items, even if more were promised. */
const MAX_PAGES_WITHOUT_NEW_ITEMS = 3;
const MAX_PAGES = 10_000;
/** The maximum number of pages that are requested at the same time. */
const MAX_CONCURRENT_PAGES = 4;

/**
 * Requests pages until the list is complete. If a page names the next one, that is followed until a page names none.
 * Otherwise totals are trusted only if they match the items; if not, the list ends with a page without new items. Each id
 * is kept once. Raises unavailable for an endless list. Pages that the totals promise are requested ahead, as many at a
 * time as `concurrency` allows; at the end, and after an error, those in flight are aborted.
 */
export async function collectPages<T extends { id: string }>(
  fetchPage: (request: PageRequest, signal: AbortSignal) => Promise<Page<T>>,
  concurrency = 1,
): Promise<ListResult<T>> {
  const ended = new AbortController();
  try {
    return await followPages((request) => fetchPage(request, ended.signal), concurrency);
  } finally {
    ended.abort();
  }
}

async function followPages<T extends { id: string }>(
  fetchPage: (request: PageRequest) => Promise<Page<T>>,
  concurrency: number,
): Promise<ListResult<T>> {
  const byId = new Map<string, T>();
  const requested = new Map<number, Promise<Page<T>>>();
  const fetchNumbered = (first: number, last: number) => {
    for (let number = first; number <= last; number++) {
      if (requested.has(number)) continue;
      const page = fetchPage({ number, size: PAGE_SIZE, query: undefined });
      // An error is raised when its turn comes.
      page.catch(() => undefined);
      requested.set(number, page);
    }
    const page = requested.get(first) as Promise<Page<T>>;
    requested.delete(first);
    return page;
  };
  let progress: PageProgress = {
    number: 0,
    itemCount: 0,
    pagesWithoutNewItems: 0,
    isLast: false,
    next: undefined,
    totalPages: undefined,
    totalItems: undefined,
  };
  for (let requests = 0; requests < MAX_PAGES; requests++) {
    const [number, query] = [progress.number + 1, findNextQuery(progress)];
    const ahead = Math.min(number + Math.min(concurrency, MAX_CONCURRENT_PAGES) - 1, countPages(progress));
    const page = await (query === undefined
      ? fetchNumbered(number, Math.max(number, ahead))
      : fetchPage({ number, size: PAGE_SIZE, query }));
    for (const item of page.items) if (!byId.has(item.id)) byId.set(item.id, item);
    progress = advance(progress, page, byId.size);
    if (!isEnd(progress)) continue;
    const incompleteReason = describeIncompleteness(page, progress);
    return { items: [...byId.values()], incompleteReason };
  }
  throw new CliError('unavailable', `the service's pagination does not end (stopped after ${MAX_PAGES} pages)`, {
    hint: 'Check the base URL.',
  });
}

/** The number of pages, if both totals are those of a list in pages of the size that was asked for; otherwise 0. */
const countPages = ({ totalPages = 0, totalItems = 0 }: Totals): number =>
  totalPages === Math.ceil(totalItems / PAGE_SIZE) ? totalPages : 0;

/** What is known after the pages so far. */
interface PageProgress extends Totals {
  /** The number of the last page. A page from `next` without new items is not counted. */
  number: number;
  /** The number of distinct items. */
  itemCount: number;
  /** The number of pages in a row without new items. */
  pagesWithoutNewItems: number;
  /** The named next page, until a page with new items has come of it. */
  next: NextPage | undefined;
  /** The `next` of the previous page was followed, and this page has none. */
  isLast: boolean;
}

function advance(last: PageProgress, page: Page<unknown>, itemCount: number): PageProgress {
  const hasNew = itemCount > last.itemCount;
  const isFollowed = findNextQuery(last) !== undefined;
  // A page that repeats items instead of the next ones is not the end.
  const isLast = isFollowed && page.next === undefined && (hasNew || page.items.length === 0);
  return {
    number: isFollowed && !hasNew ? last.number : last.number + 1,
    itemCount,
    pagesWithoutNewItems: hasNew ? 0 : last.pagesWithoutNewItems + 1,
    next: page.next ?? (hasNew || isLast ? undefined : last.next),
    isLast,
    // Totals of an earlier page stay valid.
    totalPages: page.totalPages ?? last.totalPages,
    totalItems: page.totalItems ?? last.totalItems,
  };
}

/** The query to follow; after a page without new items, pages are requested by number. */
const findNextQuery = ({ next, pagesWithoutNewItems }: PageProgress) =>
  next && 'query' in next && pagesWithoutNewItems === 0 ? next.query : undefined;

function isEnd(progress: PageProgress): boolean {
  const { number, itemCount, pagesWithoutNewItems, totalPages, totalItems, next, isLast } = progress;
  if (isLast) return true;
  if (pagesWithoutNewItems > 0) return pagesWithoutNewItems >= MAX_PAGES_WITHOUT_NEW_ITEMS || !claimsMore(progress);
  if (next && ('query' in next || totalItems !== itemCount)) return false;
  // On the first page, the totals may be those of the page.
  return totalItems === itemCount && (totalPages === number || number > 1);
}

/** Whether the service promises more items after this page. */
function claimsMore({ number, itemCount, totalPages, totalItems, next }: PageProgress): boolean {
  if (next && totalItems !== itemCount) return true;
  const count = totalItems ?? 0;
  return totalPages === undefined || (totalPages === 0 && itemCount > 0) ? count > itemCount : totalPages > number;
}

function describeIncompleteness({ items }: Page<unknown>, progress: PageProgress): string | undefined {
  const { number, itemCount, pagesWithoutNewItems, totalItems, next } = progress;
  const hasMore = next !== undefined && totalItems !== itemCount;
  if (hasMore && 'foreignUrl' in next) {
    return `the list continues at another URL (${next.foreignUrl}), which is not followed`;
  }
  const isMissingItems = totalItems !== undefined && totalItems > itemCount;
  if (items.length > 0 && pagesWithoutNewItems > 0 && (claimsMore(progress) || isMissingItems)) {
    return `the service returned page ${number} twice; the list may be incomplete`;
  }
  if (isMissingItems) return `the service reports ${totalItems} items, but returned ${itemCount}`;
  return hasMore ? `the list continues after ${itemCount} items, but the next page is empty` : undefined;
}
