/**
 * Publishes 200 changed formulas to the same small service by formulary, by curl, and by `bt` 1.13.0, the last version
 * with formulas; then again with one that the service rejects. `BT` is the start script of a built `bt` (bin/run):
 * BT=/tmp/bt/bin/run node bench/publish-tools.mjs [NAME...]
 * Without the Terraform provider, which needs Go modules to be built.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { longCode, writeFolders } from './many-folders.mjs';
import { startPlainService } from './plain-service.mjs';
import { countOf, pushed, runOnce, withFolder, world } from './processes.mjs';

const COUNT = countOf(200);
const REJECTED = `Formula ${COUNT >> 1}`;
const { BT } = process.env;

const service = await startPlainService();

/** Runs a command once for each line of arguments, so many at a time. */
const xargs = (processes, words, lines, env) => ({
  program: 'xargs',
  words: ['-P', String(processes), '-L', '1', ...words],
  input: lines.map((line) => `${line}\n`).join(''),
  env,
});

/** Each returns the command that publishes; what it prepares is not measured. */
const TOOLS = {
  formulary: ({ root, home }) => pushed(root, home, service),
  curl: ({ place, formulas, env }) => {
    const lines = formulas.map(({ id, folder, ...fields }) => {
      const body = join(place, `${id}.json`);
      writeFileSync(body, JSON.stringify({ ...fields, code: readFileSync(join(folder, 'code.js'), 'utf8') }));
      return `--data-binary @${body} ${service.url}/reactor-formulas/${id}`;
    });
    const headers = ['-H', 'content-type: application/json', '-H', 'BT-API-KEY: key_of_the_benchmark'];
    return xargs(8, ['curl', '-sS', '--fail', '-o', '/dev/null', '-X', 'PUT', ...headers], lines, env);
  },
  bt: ({ place, formulas, env }) => {
    const lines = formulas.map(({ id, folder, name, description, configuration, request_parameters }) => {
      const [c, p] = [configuration, request_parameters].map((value, i) => {
        const file = join(place, `${id}-${i}.json`);
        writeFileSync(file, JSON.stringify(value));
        return file;
      });
      return `${id} --name "${name}" --description "${description}" --code ${join(folder, 'code.js')} -c ${c} -p ${p}`;
    });
    // The one name that its library uses plain http for.
    const url = service.url.replace('127.0.0.1', 'localhost');
    const remote = { ...env, BT_MANAGEMENT_KEY: 'key_of_the_benchmark', BT_API_BASE_URL: url };
    return xargs(2, [process.execPath, BT, 'reactorFormulas', 'update'], lines, remote);
  },
};

/** Formulas that were published, and then changed in their folders. */
async function prepare(place) {
  const [root, home] = [join(place, 'formulas'), join(place, 'home')];
  writeFolders(root, COUNT);
  await service.empty();
  await runOnce(pushed(root, home, service));
  const { data } = await (await fetch(`${service.url}/reactor-formulas?size=${COUNT}`)).json();
  const formulas = data.map(({ created_at, ...formula }) => {
    const number = formula.name.split(' ')[1];
    return { ...formula, folder: join(root, `formula-${number.padStart(5, '0')}`) };
  });
  for (const [i, { folder }] of formulas.entries()) writeFileSync(join(folder, 'code.js'), longCode(COUNT + i));
  const prepared = join(place, 'prepared');
  mkdirSync(prepared);
  return { place: prepared, root, home, formulas, env: world(home) };
}

async function publish(tool, rejected) {
  await withFolder(async (place) => {
    const { program = process.execPath, words, env, input } = TOOLS[tool](await prepare(place));
    await service.recount(rejected);
    const start = performance.now();
    const child = spawn(program, words, { env, stdio: ['pipe', 'ignore', 'pipe'] });
    child.stdin.end(input);
    const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const { written, requests } = await service.ask();
    console.log(
      `  ${tool.padEnd(10)} ${seconds} s, exit code ${status}, ${written} of ${COUNT} published, ${JSON.stringify(requests)}`,
    );
    if (rejected) console.log(said.trim().replace(/^/gm, '    | ').slice(-1500));
  });
}

const wanted = process.argv.slice(2);
const tools = Object.keys(TOOLS).filter((tool) => wanted.length === 0 || wanted.includes(tool));
for (const rejected of [undefined, REJECTED]) {
  console.log(
    `\npublish of ${COUNT} changed formulas${rejected ? `, of which the service rejects "${rejected}"` : ''}`,
  );
  for (const tool of tools) {
    if (tool === 'bt' && !BT) console.log('  bt         not measured, since BT does not name its start script');
    else await publish(tool, rejected);
  }
}
service.stop();
