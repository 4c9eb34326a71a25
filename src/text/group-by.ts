/** Groups items by a key. */

/** The items of each key, in their order. */
export function groupBy<Item, Key>(items: Iterable<Item>, getKey: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) appendTo(groups, getKey(item), item);
  return groups;
}

/** Appends a value to the list of a key. */
export function appendTo<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
