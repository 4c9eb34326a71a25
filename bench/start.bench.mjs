/** Benchmark: how long the commands take that ought to be over at once, against a bare node. */
import { join } from 'node:path';
import { startPlainService } from './plain-service.mjs';
import { compare, TOOL, withFolder, world } from './processes.mjs';

const example = join(import.meta.dirname, '../formulas-example/tokenize-card');
const service = await startPlainService();

await withFolder(async (home) => {
  const remote = { FORMULARY_BASE_URL: service.url, FORMULARY_API_KEY: 'key_of_the_benchmark' };
  const rows = [
    ['--version', 1.3, ['--version']],
    ['--help', 1.6, ['--help']],
    ['formula create --help', 1.6, ['formula', 'create', '--help']],
    ['formula validate of one folder', 2.6, ['formula', 'validate', example]],
    ['formula list of one page on loopback', 3, ['formula', 'list'], remote],
    ['formula create --local', 4.2, ['formula', 'create', example, '--local', '--allow-duplicate']],
  ];
  for (const [title, target, words, env] of rows) {
    const ours = { words: [TOOL, ...words], env: world(home, env) };
    await compare({ title, target, ours, base: { words: ['-e', '0'], env: world(home) } });
  }
});
service.stop();
