/** Reads the Node.js versions that bundled packages support from their package.json. */
import { parsePackageName } from './package-name.ts';
import type { Sources } from './sources.ts';

export function collectNodeRanges({ byKey, packages }: Sources): Map<string, string> {
  const ranges = new Map<string, string>();
  for (const { real, isPackageFile } of byKey.values()) {
    const found = isPackageFile ? packages.findFolder(real) : undefined;
    const range = found && packages.get(found.folder)?.node;
    const name = found && parsePackageName(found.displayPath);
    if (name !== undefined && range !== undefined) ranges.set(name, range);
  }
  return ranges;
}

const NODE = 16;

/** Whether every alternative of a range begins above Node.js 16. */
export const excludesNode16 = (range: string): boolean =>
  range.split('||').every((alternative) => findLowestMajor(alternative) > NODE);

function findLowestMajor(alternative: string): number {
  // In `18 - 22`, the first number is the lowest.
  const comparators = alternative.replace(/\s-\s.*/, '').matchAll(/([<>]=?|[\^~=])?\s*v?(\d+)[.\w*-]*/g);
  const lowest = [...comparators].map(([, sign = '', major]) => (sign.startsWith('<') ? 0 : Number(major)));
  return Math.max(0, ...lowest);
}
