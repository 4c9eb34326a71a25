/** The yardstick of push: reads and parses each folder below ROOT, then sends all to URL over 16 connections of an undici pool. */
const { Pool } = require('undici');
const { read, folders } = require('./folder.cjs');

const [, , root, url] = process.argv;
const bodies = folders(root).map((folder) => JSON.stringify(read(folder)));
const pool = new Pool(url, { connections: 16 });
const queue = bodies.values();

async function work() {
  for (const body of queue) {
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({ method: 'POST', path: '/reactor-formulas', headers, body });
    if (answer.statusCode !== 201) throw new Error(`status ${answer.statusCode}`);
    await answer.body.json();
  }
}

Promise.all(Array.from({ length: 16 }, work)).then(() => pool.close());
