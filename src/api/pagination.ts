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

export interface Collected<T> {
  items: T[];
  /** Why the list may lack something, in words, where the service says itself that there is more than it shows. */
  doubt: string | undefined;
}

const PAGE_SIZE = 100;
/** So many pages in a row without anything new end a list of which more was promised. */
const MAX_QUIET = 3;
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
): Promise<Collected<T>> {
  const byId = new Map<string, T>();
  let progress = BEGIN;
  while (progress.requests < MAX_PAGES) {
    if (progress.requests > 0 && (await isFull())) throw tooLong(byId.size);
    const page = await fetchPage({ number: progress.number + 1, size: PAGE_SIZE, query: queryOf(progress) });
    for (const item of page.items) if (!byId.has(item.id)) byId.set(item.id, item);
    progress = advanced(progress, page, byId.size);
    if (!isEnd(page, progress)) continue;
    const doubt = doubtAbout(page, progress);
    if (doubt) warn(`warning: ${doubt}`);
    return { items: [...byId.values()], doubt };
  }
  throw new CliError('unavailable', `the list of the service does not end: ${MAX_PAGES} pages brought something new`, {
    hint: 'check the base address: is this the service?',
  });
}

/** With this much of the memory that Node.js allows in use, the next page, or the work on the list, may not find room. */
const FULL = 0.65;

async function isMemoryFull(): Promise<boolean> {
  const { getHeapStatistics } = await import('node:v8');
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * FULL;
}

const tooLong = (count: number) =>
  new CliError('unavailable', `the list of the service is too long to be held: ${count} came, and more is to come`, {
    hint: 'check the base address; if it is right, allow more memory, for instance NODE_OPTIONS=--max-old-space-size=8192',
  });

interface Progress extends Totals {
  /** How many pages were requested, and the number of the last one: a `next` without anything new counts for none. */
  requests: number;
  number: number;
  /** How many different items came so far. */
  seen: number;
  firstLength: number;
  /** How many pages in a row had nothing new. */
  quiet: number;
  /** Where the service says that the list continues, as long as no page with something new has come of it. */
  next: NextPage | undefined;
  /** The `next` of the page before was followed, and this page has none. */
  isLast: boolean;
}

const BEGIN: Progress = {
  requests: 0,
  number: 0,
  seen: 0,
  firstLength: 0,
  quiet: 0,
  next: undefined,
  isLast: false,
  totalPages: undefined,
  totalItems: undefined,
};

function advanced(last: Progress, page: Page<unknown>, seen: number): Progress {
  const hasNew = seen > last.seen;
  const isFollowed = queryOf(last) !== undefined;
  // Items that came before, where the next ones were requested, are not an end.
  const isLast = isFollowed && page.next === undefined && (hasNew || page.items.length === 0);
  return {
    requests: last.requests + 1,
    number: isFollowed && !hasNew ? last.number : last.number + 1,
    seen,
    firstLength: last.number === 0 ? page.items.length : last.firstLength,
    quiet: hasNew ? 0 : last.quiet + 1,
    next: page.next ?? (hasNew || isLast ? undefined : last.next),
    isLast,
    // A page without totals does not take back what an earlier one said.
    totalPages: page.totalPages ?? last.totalPages,
    totalItems: page.totalItems ?? last.totalItems,
  };
}

/** The query to follow; after one that had nothing new, pages are requested by number. */
const queryOf = ({ next, quiet }: Progress) => (next && 'query' in next && quiet === 0 ? next.query : undefined);

function isEnd({ items }: Page<unknown>, progress: Progress): boolean {
  const { number, seen, firstLength, quiet, totalPages, totalItems, next, isLast } = progress;
  if (isLast) return true;
  if (quiet > 0) return quiet >= MAX_QUIET || !claimsMore(progress);
  if (next && ('query' in next || totalItems !== seen)) return false;
  const isLastSaid = totalPages === number;
  if (totalItems === seen) return isLastSaid || number > 1;
  // Without a count, a last page may be one that was cut to the service's own size, unless it is shorter than that.
  return isLastSaid && totalItems === undefined && items.length < firstLength;
}

/** Whether the service promises something beyond this page. */
function claimsMore({ number, seen, totalPages, totalItems, next }: Progress): boolean {
  if (next && totalItems !== seen) return true;
  const count = totalItems ?? 0;
  return totalPages === undefined || (totalPages === 0 && seen > 0) ? count > seen : totalPages > number;
}

/** Why the list may lack something, in words. */
function doubtAbout({ items }: Page<unknown>, progress: Progress): string | undefined {
  const { number, seen, quiet, totalItems, next } = progress;
  const isOpen = next !== undefined && totalItems !== seen;
  if (isOpen && 'elsewhere' in next) {
    return `the service continues its list at another URL (${next.elsewhere}), which is not followed`;
  }
  const isCounted = totalItems !== undefined && totalItems > seen;
  if (items.length > 0 && quiet > 0 && (claimsMore(progress) || isCounted)) {
    return `the service repeats a page of its list (page ${number}); what it does not show cannot be listed`;
  }
  if (isCounted) return `the service counts ${totalItems} items, but its pages show ${seen}`;
  return isOpen ? `the list of the service continues after ${seen} items, but the next page has none` : undefined;
}
