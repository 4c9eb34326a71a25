// Runs on Node.js 16: compiles each string of a list as a CommonJS function, without running it, and its regular
// expressions, which Node.js 16 otherwise compiles only at run time.
const { readFileSync } = require('node:fs');
const { compileFunction } = require('node:vm');

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

const verdicts = JSON.parse(readFileSync(0, 'utf8')).map(({ text, expressions }) => {
  try {
    for (const [pattern, flags] of expressions) new RegExp(pattern, flags);
    compileFunction(text.replace(/^#!/, '//'), PARAMETERS);
    return 'compiles';
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
});
process.stdout.write(JSON.stringify(verdicts));
