/** Keeps a formula from replacing internals of Node.js. */
const { apply } = Reflect;

/** Removes the script of this process from `require.main` and the module cache, where a formula could change it. */
export function hideScript(): void {
  const { main } = require;
  if (main) delete require.cache[main.filename];
  (process as { mainModule?: NodeJS.Module | undefined }).mainModule = undefined;
}

/** What Node.js calls inside itself can be looked up, but not replaced. */
export function guardInternals(): void {
  const holder = process as unknown as { binding(name: string): object };
  const { binding } = holder;
  holder.binding = (name) => ({ ...apply(binding, process, [name]) });
}
