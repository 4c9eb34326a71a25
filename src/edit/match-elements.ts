/** Matches the elements of two JSON arrays. Pure. */
import { appendTo } from '../text/append-to.ts';
import { isObject } from '../text/json-type.ts';

interface MatchedElements {
  /** The new index of each old one that stays; both ascending. */
  pairs: Map<number, number>;
  /** New elements, with the old index after which each is inserted. */
  added: { after: number; index: number }[];
}

/** Matches elements with the same name (or equal ones), then those at the same position between two matches. */
export function matchElements(old: readonly unknown[], next: readonly unknown[]): MatchedElements {
  const indexes = new Map<string, number[]>();
  for (const [i, element] of old.entries()) appendTo(indexes, toIdentity(element), i);
  const pairs = new Map<number, number>();
  const added: MatchedElements['added'] = [];
  let [oldAt, nextAt] = [0, 0];
  const pairGap = (oldEnd: number, nextEnd: number) => {
    for (; oldAt < oldEnd && nextAt < nextEnd; oldAt++, nextAt++) pairs.set(oldAt, nextAt);
    for (; nextAt < nextEnd; nextAt++) added.push({ after: oldAt - 1, index: nextAt });
  };
  for (const [j, element] of next.entries()) {
    const i = indexes.get(toIdentity(element))?.find((index) => index >= oldAt);
    if (i === undefined) continue;
    pairGap(i, j);
    pairs.set(i, j);
    [oldAt, nextAt] = [i + 1, j + 1];
  }
  pairGap(old.length, next.length);
  return { pairs, added };
}

function toIdentity(element: unknown): string {
  const name = isObject(element) ? element['name'] : undefined;
  return typeof name === 'string' ? `name:${name}` : `value:${JSON.stringify(element)}`;
}
