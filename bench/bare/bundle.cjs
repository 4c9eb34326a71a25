/** The yardstick of validate of TypeScript: bundles the code.ts of each folder below ROOT with esbuild, all at once. */
const { join } = require('node:path');
const { build } = require('esbuild');
const { folders } = require('./folder.cjs');

const options = {
  bundle: true,
  write: false,
  platform: 'node',
  format: 'cjs',
  target: 'node16',
  sourcemap: 'external',
};

Promise.all(
  folders(process.argv[2]).map((folder) =>
    build({ ...options, entryPoints: [join(folder, 'code.ts')], outfile: join(folder, 'code.js') }),
  ),
);
