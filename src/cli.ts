/** Where the process begins: one command line, one exit code. */
import { processHost } from './host.ts';
import { main } from './main.ts';

main(process.argv.slice(2), processHost()).then((code) => {
  // exitCode, not exit(): what is still on its way to a pipe must arrive.
  // Where it is set already, a stream could not be written.
  process.exitCode = code || process.exitCode || 0;
});

// Without an export esbuild takes this file for CommonJS, and puts each module that it leads to in a function of its own.
// biome-ignore lint/complexity/noUselessEmptyExport: see above
export {};
