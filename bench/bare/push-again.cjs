/** The yardstick of a push that changes nothing: reads and parses each folder below ROOT, and asks URL for all pages. */
const { Pool } = require('undici');
const { read, folders } = require('./folder.cjs');

const [, , root, url] = process.argv;

async function main() {
  for (const folder of folders(root)) read(folder);
  const pool = new Pool(url, { connections: 1 });
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await pool.request({ method: 'GET', path: `/reactor-formulas?page=${page}&size=100` });
    pages = (await answer.body.json()).pagination.total_pages;
  }
  await pool.close();
}

main();
