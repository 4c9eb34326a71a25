/** Asynchronous work on lists. */

/** Maps the items, at most `limit` at a time; the results are in the order of the items. */
export async function mapInParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const pending = items.entries();
  const worker = async () => {
    for (const [i, item] of pending) results[i] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
