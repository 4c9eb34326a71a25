/** Where the process begins: one command line, one exit code. */
import { EXIT_CODES } from './errors.ts';
import { processHost } from './host/process-host.ts';
import { main } from './main.ts';

let hasEnded = false;

main(process.argv.slice(2), processHost()).then((code) => {
  hasEnded = true;
  // exitCode, not exit(): what is still on its way to a pipe must arrive.
  // Where it is set already, a stream could not be written.
  process.exitCode = code || process.exitCode || 0;
});

// What waits for something that will never come is no success.
process.once('beforeExit', () => {
  if (hasEnded) return;
  process.stderr.write('error: this is a fault of formulary, not of your input: it ended without an answer\n');
  process.exitCode = EXIT_CODES.bug;
});

// Without an export esbuild takes this file for CommonJS, and puts each module that it leads to in a function of its own.
// biome-ignore lint/complexity/noUselessEmptyExport: see above
export {};
