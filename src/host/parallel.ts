/** Works through a list with several at once, and keeps the order of the answers. */

/** The answers in the order of the items; no more than `limit` of them are worked on at a time. */
export async function mapInParallel<Item, Answer>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const results: Answer[] = [];
  const pending = items.entries();
  const worker = async () => {
    for (const [i, item] of pending) results[i] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
