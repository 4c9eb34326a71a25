/** Collects the pages of a list, whatever the service does about paging. */
import { CliError } from '../errors.ts';

/** What the service counts, where it says so. */
export interface Totals {
  totalPages: number | undefined;
  totalItems: number | undefined;
}

export interface Page<T> extends Totals {
  items: readonly T[];
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
 * Asks for page after page until the list is complete. The service's word that it is counts only where its totals agree
 * with what came; else the list ends with a page that brings nothing new. Each id is kept once. A service that repeats
 * pages, or shows less than it counts, gets a warning. Raises unavailable for a list without an end, or one for which
 * there is no memory: Node.js would end the process in the middle of the work.
 */
export async function collectPages<T extends { id: string }>(
  warn: (text: string) => void,
  fetchPage: (page: number, size: number) => Promise<Page<T>>,
  isFull: () => boolean | Promise<boolean> = isMemoryFull,
): Promise<Collected<T>> {
  const byId = new Map<string, T>();
  let progress: Progress = {
    number: 0,
    seen: 0,
    firstLength: 0,
    quiet: 0,
    totalPages: undefined,
    totalItems: undefined,
  };
  while (progress.number < MAX_PAGES) {
    if (progress.number > 0 && (await isFull())) throw tooLong(byId.size);
    const page = await fetchPage(progress.number + 1, PAGE_SIZE);
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
  /** The page that came last, from 1. */
  number: number;
  /** How many different items came so far. */
  seen: number;
  firstLength: number;
  /** How many pages in a row brought nothing new. */
  quiet: number;
}

function advanced(last: Progress, page: Page<unknown>, seen: number): Progress {
  return {
    number: last.number + 1,
    seen,
    firstLength: last.number === 0 ? page.items.length : last.firstLength,
    quiet: seen > last.seen ? 0 : last.quiet + 1,
    // A page without totals does not take back what an earlier one said.
    totalPages: page.totalPages ?? last.totalPages,
    totalItems: page.totalItems ?? last.totalItems,
  };
}

function isEnd({ items }: Page<unknown>, progress: Progress): boolean {
  const { number, seen, firstLength, quiet, totalPages, totalItems } = progress;
  if (quiet > 0) return quiet >= MAX_QUIET || !claimsMore(progress);
  const isLastSaid = totalPages === number;
  if (totalItems === seen) return isLastSaid || number > 1;
  // Without a count, a last page may be one that was cut to the service's own size, unless it is shorter than that.
  return isLastSaid && totalItems === undefined && items.length < firstLength;
}

/** Whether the service promises something beyond this page. */
function claimsMore({ number, seen, totalPages, totalItems = 0 }: Progress): boolean {
  return totalPages === undefined || (totalPages === 0 && seen > 0) ? totalItems > seen : totalPages > number;
}

/** Why the list may lack something, in words. */
function doubtAbout({ items }: Page<unknown>, progress: Progress): string | undefined {
  const { number, seen, quiet, totalItems = 0 } = progress;
  if (items.length > 0 && quiet > 0 && (claimsMore(progress) || totalItems > seen)) {
    return `the service repeats a page of its list (page ${number}); what it does not show cannot be listed`;
  }
  return totalItems > seen ? `the service counts ${totalItems} items, but its pages show ${seen}` : undefined;
}
