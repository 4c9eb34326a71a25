/**
 * A process that counts how often blocks of the tool's code run for each input, independently of time and load. It gets
 * the bundled tool, and a file with [target, small input, large input] for each case, and prints [count for the small
 * input, count for the large one] for each.
 */
const { readFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const [, , bundle, file] = process.argv;
const tool = require(bundle);
const session = new Session();
session.connect();
const post = (method, parameters) => {
  let result;
  session.post(method, parameters, (error, answer) => {
    if (error) throw new Error(JSON.stringify(error));
    result = answer;
  });
  return result;
};
const takeCount = () =>
  post('Profiler.takePreciseCoverage')
    .result.filter(({ url }) => url.endsWith(bundle))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
    .reduce((sum, count) => sum + count, 0);

async function count() {
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const counts = [];
  for (const [target, small, large] of JSON.parse(readFileSync(file, 'utf8'))) {
    // The first time, tables are made that stay.
    await tool.targets[target]('');
    takeCount();
    await tool.targets[target](small);
    const first = takeCount();
    await tool.targets[target](large);
    counts.push([first, takeCount()]);
  }
  return counts;
}

count().then((counts) => process.stdout.write(JSON.stringify(counts)));
