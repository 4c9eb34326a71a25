/** Creates COUNT formulas through the client library installed in FOLDER, 16 at once: node sdk-creates.cjs FOLDER URL COUNT */
const { createRequire } = require('node:module');
const { join } = require('node:path');

const [, , folder, url, count] = process.argv;
const { BasisTheory } = createRequire(join(folder, 'package.json'))('@basis-theory/basis-theory-js');

async function main() {
  const client = await new BasisTheory().init('key_of_the_benchmark', { apiBaseUrl: url, disableTelemetry: true });
  let next = 0;
  const work = async () => {
    while (next < Number(count)) {
      const name = `Formula ${next++}`;
      await client.reactorFormulas.create({ name, type: 'private', code: 'module.exports = async () => ({});' });
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

main();
