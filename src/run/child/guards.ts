/** Keeps a formula from replacing internals of Node.js. */
const { apply } = Reflect;

/** What Node.js calls inside itself can be looked up, but not replaced. */
export function guardInternals(): void {
  const holder = process as unknown as { binding(name: string): object };
  const { binding } = holder;
  holder.binding = (name) => ({ ...apply(binding, process, [name]) });
}
