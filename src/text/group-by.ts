/** Groups items by a key. Pure. */
import { appendTo } from './append-to.ts';

/** The items of each key, in their order. */
export function groupBy<Item, Key>(items: Iterable<Item>, getKey: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) appendTo(groups, getKey(item), item);
  return groups;
}
