/** What every bare script does with a formula folder: reads its three files, parses the code, and makes the body. */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { parse } = require('acorn');

exports.folders = (root) =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(root, name))
    .sort();

exports.read = (folder) => {
  const [manifest, code, icon] = ['manifest.json', 'code.js', 'icon.png'].map((name) =>
    readFileSync(join(folder, name)),
  );
  const text = code.toString('utf8');
  parse(text, { ecmaVersion: 2022, sourceType: 'commonjs', allowHashBang: true });
  return {
    ...JSON.parse(manifest.toString('utf8')),
    code: text,
    icon: `data:image/png;base64,${icon.toString('base64')}`,
  };
};
