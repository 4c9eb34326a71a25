// Runs on Node.js 16: calls what each file of a folder exports, with a request. Output: the responses or errors by file name.
const fs = require('node:fs');
const path = require('node:path');

const [, , folder, request] = process.argv;

async function ended(file) {
  try {
    return JSON.stringify(await require(path.join(folder, file))(JSON.parse(request)));
  } catch (error) {
    return `${error.name}: ${error.message}${error.status ? ` (${error.status})` : ''}`;
  }
}

async function all() {
  const results = {};
  for (const file of fs.readdirSync(folder)) results[file] = await ended(file);
  process.stdout.write(JSON.stringify(results));
}

all();
