// Runs on Node.js 16: requires files and reports their exports. Input: a folder; output: JSON by file name.
const fs = require('node:fs');
const path = require('node:path');

// A style may start work that fails later; only its exports count.
process.on('unhandledRejection', () => undefined);

const kindOf = (value) => {
  if (typeof value !== 'function') return value && typeof value.then === 'function' ? 'promise' : typeof value;
  return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
};

const folder = process.argv[2];
const kinds = {};
for (const file of fs.readdirSync(folder)) {
  try {
    kinds[file] = kindOf(require(path.join(folder, file)));
  } catch (error) {
    kinds[file] = error instanceof SyntaxError ? 'syntax error' : 'error';
  }
}
process.stdout.write(JSON.stringify(kinds));
