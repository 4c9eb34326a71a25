/** Works through a list with several at once, and keeps the order of the answers. */

/** The answers in the order of the items; no more than `limit` of them are worked on at a time. */
export async function inParallel<Item, Answer>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const rest = items.entries();
  const worker = async () => {
    for (const [i, item] of rest) answers[i] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return answers;
}
