/** Collects the pages of a list, whatever the service does about paging. */
import { CliError } from '../errors.ts';
import type { NextPage } from './next-page.ts';

/** What the service counts, where it says so. */
export interface Totals {
  totalPages: number | undefined;
  totalItems: number | undefined;
}

export interface Page<T> extends Totals {
  items: readonly T[];
  /** Where the list continues, if the service says so. */
  next: NextPage | undefined;
}

/** Which page is requested: `query` where the page before named it, otherwise by its number, from 1. */
export interface PageRequest {
  number: number;
  size: number;
  query: string | undefined;
}

export interface ListResult<T> {
  items: T[];
  /** Why the list may lack something, in words, where the service says itself that there is more than it shows. */
  incompleteReason: string | undefined;
}

const PAGE_SIZE = 100;
/** So many pages in a row without anything new end a list of which more was promised. */
const MAX_PAGES_WITHOUT_NEW_ITEMS = 3;
/** A list that brings something new for ever has an end here. */
const MAX_PAGES = 10_000;

/**
 * Requests page after page until the list is complete. Where a page names the next one, that is followed until a page
 * names none. Without it, totals count only where they agree with the items; otherwise the list ends with a page that
 * has nothing new. Each id is kept once. A service that repeats pages, shows less than it counts, or continues where
 * it is not followed gets a warning. Raises unavailable for a list without an end, or one for which there is no memory:
 * Node.js would end the process in the middle of the work.
 */
export async function collectPages<T extends { id: string }>(
  warn: (text: string) => void,
  fetchPage: (request: PageRequest) => Promise<Page<T>>,
  isFull: () => boolean | Promise<boolean> = isMemoryFull,
): Promise<ListResult<T>> {
  const byId = new Map<string, T>();
  let progress = INITIAL_PROGRESS;
  while (progress.requests < MAX_PAGES) {
    if (progress.requests > 0 && (await isFull())) throw listTooLongError(byId.size);
    const page = await fetchPage({ number: progress.number + 1, size: PAGE_SIZE, query: findNextQuery(progress) });
    for (const item of page.items) if (!byId.has(item.id)) byId.set(item.id, item);
    progress = advance(progress, page, byId.size);
    if (!isEnd(page, progress)) continue;
    const incompleteReason = describeIncompleteness(page, progress);
    if (incompleteReason) warn(`warning: ${incompleteReason}`);
    return { items: [...byId.values()], incompleteReason };
  }
  throw new CliError('unavailable', `the list of the service does not end: ${MAX_PAGES} pages brought something new`, {
    hint: 'check the base address: is this the service?',
  });
}

/** With this much of the memory that Node.js allows in use, the next page, or the work on the list, may not find room. */
const MAX_MEMORY_RATIO = 0.65;

async function isMemoryFull(): Promise<boolean> {
  const { getHeapStatistics } = await import('node:v8');
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * MAX_MEMORY_RATIO;
}

const listTooLongError = (count: number) =>
  new CliError('unavailable', `the list of the service is too long to be held: ${count} came, and more is to come`, {
    hint: 'check the base address; if it is right, allow more memory, for instance NODE_OPTIONS=--max-old-space-size=8192',
  });

interface PageProgress extends Totals {
  /** How many pages were requested, and the number of the last one: a `next` without anything new counts for none. */
  requests: number;
  number: number;
  /** How many different items came so far. */
  itemCount: number;
  firstPageLength: number;
  /** How many pages in a row had nothing new. */
  pagesWithoutNewItems: number;
  /** Where the service says that the list continues, as long as no page with something new has come of it. */
  next: NextPage | undefined;
  /** The `next` of the page before was followed, and this page has none. */
  isLast: boolean;
}

const INITIAL_PROGRESS: PageProgress = {
  requests: 0,
  number: 0,
  itemCount: 0,
  firstPageLength: 0,
  pagesWithoutNewItems: 0,
  next: undefined,
  isLast: false,
  totalPages: undefined,
  totalItems: undefined,
};

function advance(last: PageProgress, page: Page<unknown>, itemCount: number): PageProgress {
  const hasNew = itemCount > last.itemCount;
  const isFollowed = findNextQuery(last) !== undefined;
  // Items that came before, where the next ones were requested, are not an end.
  const isLast = isFollowed && page.next === undefined && (hasNew || page.items.length === 0);
  return {
    requests: last.requests + 1,
    number: isFollowed && !hasNew ? last.number : last.number + 1,
    itemCount,
    firstPageLength: last.number === 0 ? page.items.length : last.firstPageLength,
    pagesWithoutNewItems: hasNew ? 0 : last.pagesWithoutNewItems + 1,
    next: page.next ?? (hasNew || isLast ? undefined : last.next),
    isLast,
    // A page without totals does not take back what an earlier one said.
    totalPages: page.totalPages ?? last.totalPages,
    totalItems: page.totalItems ?? last.totalItems,
  };
}

/** The query to follow; after one that had nothing new, pages are requested by number. */
const findNextQuery = ({ next, pagesWithoutNewItems }: PageProgress) =>
  next && 'query' in next && pagesWithoutNewItems === 0 ? next.query : undefined;

function isEnd({ items }: Page<unknown>, progress: PageProgress): boolean {
  const { number, itemCount, firstPageLength, pagesWithoutNewItems, totalPages, totalItems, next, isLast } = progress;
  if (isLast) return true;
  if (pagesWithoutNewItems > 0) return pagesWithoutNewItems >= MAX_PAGES_WITHOUT_NEW_ITEMS || !claimsMore(progress);
  if (next && ('query' in next || totalItems !== itemCount)) return false;
  const isLastByTotal = totalPages === number;
  if (totalItems === itemCount) return isLastByTotal || number > 1;
  // Without a count, a last page may be one that was cut to the service's own size, unless it is shorter than that.
  return isLastByTotal && totalItems === undefined && items.length < firstPageLength;
}

/** Whether the service promises something beyond this page. */
function claimsMore({ number, itemCount, totalPages, totalItems, next }: PageProgress): boolean {
  if (next && totalItems !== itemCount) return true;
  const count = totalItems ?? 0;
  return totalPages === undefined || (totalPages === 0 && itemCount > 0) ? count > itemCount : totalPages > number;
}

/** Why the list may lack something, in words. */
function describeIncompleteness({ items }: Page<unknown>, progress: PageProgress): string | undefined {
  const { number, itemCount, pagesWithoutNewItems, totalItems, next } = progress;
  const hasMore = next !== undefined && totalItems !== itemCount;
  if (hasMore && 'foreignUrl' in next) {
    return `the service continues its list at another URL (${next.foreignUrl}), which is not followed`;
  }
  const isMissingItems = totalItems !== undefined && totalItems > itemCount;
  if (items.length > 0 && pagesWithoutNewItems > 0 && (claimsMore(progress) || isMissingItems)) {
    return `the service repeats a page of its list (page ${number}); what it does not show cannot be listed`;
  }
  if (isMissingItems) return `the service counts ${totalItems} items, but its pages show ${itemCount}`;
  return hasMore ? `the list of the service continues after ${itemCount} items, but the next page has none` : undefined;
}
