// Runs on Node.js 16: compiles each text of a list as the function that a CommonJS file is, and runs none; and its regular
// expressions, since Node.js 16 looks at those only when they are reached.
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
