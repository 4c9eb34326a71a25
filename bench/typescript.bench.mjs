/** Benchmark: validate of 200 folders with code.ts that imports a shared module, against esbuild alone over the same files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bare, compare, countOf, TOOL, withFolder, world } from './processes.mjs';

const SHARED = `export interface Card { number: string; brand?: string }

export const mask = ({ number }: Card): string => number.slice(-4).padStart(number.length, '*');

export function fail(message: string): never {
  throw new Error(message);
}
`;

const codeOf = (seed) => `import { type Card, fail, mask } from '../card';

interface Request { args: { card?: Card; amount?: number } }

const PREFIX = 'formula-${seed}';

export default async function (req: Request): Promise<{ raw: Record<string, unknown> }> {
  const { card, amount = ${seed} } = req.args;
  if (!card) return fail(\`\${PREFIX}: a card is required\`);
  return { raw: { id: \`\${PREFIX}-\${amount}\`, card: mask(card), brand: card.brand ?? 'unknown' } };
}
`;

const manifest = (i) => ({ name: `Formula ${i}`, type: 'private', configuration: [], request_parameters: [] });

/** The folders, and a package.json that makes `root` the place up to which they may import. */
function writeFolders(root, count) {
  writeFileSync(join(root, 'package.json'), '{"private": true}');
  writeFileSync(join(root, 'card.ts'), SHARED);
  for (let i = 0; i < count; i++) {
    const folder = join(root, `formula-${i}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest(i)));
    writeFileSync(join(folder, 'code.ts'), codeOf(i));
  }
}

await withFolder(async (place) => {
  const count = countOf(200);
  const root = join(place, 'formulas');
  mkdirSync(root);
  writeFolders(root, count);
  const env = world(join(place, 'home'));
  await compare({
    title: `validate of ${count} folders with code.ts`,
    target: '2.0',
    ours: { words: [TOOL, 'formula', 'validate', root], env },
    base: { words: [bare('bundle'), root], env },
    rounds: 5,
  });
});
