/** The entry point of the process. */
import { EXIT_CODES } from './errors.ts';
import { processHost } from './host/process-host.ts';
import { main, reportCrash } from './main.ts';

const argv = process.argv.slice(2);
const host = processHost();
let hasEnded = false;

// Also called for the rejections of promises. Without it, Node.js prints a stack trace.
process.on('uncaughtException', async (error) => {
  hasEnded = true;
  process.exit(await reportCrash(error, argv, host));
});

main(argv, host).then((code) => {
  hasEnded = true;
  // Not exit(), which would drop output that is still being written to a pipe.
  // exitCode is already set if a stream could not be written.
  process.exitCode = code || process.exitCode || 0;
});

// The event loop is empty, but the command waits for a promise that never settles.
process.once('beforeExit', () => {
  if (hasEnded) return;
  process.stderr.write('error: internal error (this is a bug in formulary): the command did not finish\n');
  process.exitCode = EXIT_CODES.bug;
});

// Without an export, esbuild treats this file as CommonJS and wraps each imported module in a function.
// biome-ignore lint/complexity/noUselessEmptyExport: see above
export {};
