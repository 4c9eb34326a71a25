/** Benchmark: validate of 1,000 folders of 6 KB code and a 10 KB icon, against a script that reads and parses the same. */
import { writeFolders } from './many-folders.mjs';
import { bare, compare, countOf, TOOL, withFolder, world } from './processes.mjs';

await withFolder(async (root) => {
  const count = countOf(1000);
  writeFolders(root, count);
  const env = world(root);
  await compare({
    title: `validate of ${count} folders`,
    target: 1.5,
    ours: { words: [TOOL, 'formula', 'validate', root], env },
    base: { words: [bare('validate'), root], env },
    rounds: 5,
    figures: ['cpuMs', 'wallMs', 'peakMiB'],
  });
});
