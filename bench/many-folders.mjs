/** Writes many formula folders for the benchmarks: each with 6 KB of code and an icon of 10 KB, all different. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CODE_LENGTH = 6_000;
const ICON_LENGTH = 10_000;

const example = (name) => readFileSync(join(import.meta.dirname, '../formulas-example', name, 'code.js'), 'utf8');

/** The examples in a row, each but the last in a function of its own, to about 6 KB. */
export function longCode(seed = 0) {
  const codes = ['map-webhook', 'sign-payload', 'tokenize-card'].map((name) =>
    example(name).replace("'use strict';\n", ''),
  );
  const parts = ["'use strict';\n", `const handlers = { seed: ${seed} };\n`];
  const length = () => parts.join('').length + (codes.at(-1)?.length ?? 0);
  for (let i = 0; length() < CODE_LENGTH; i++) {
    parts.push(`(() => {\n${codes[i % codes.length].replaceAll('module.exports', 'handlers.last')}})();\n`);
  }
  return parts.join('') + codes.at(-1);
}

/** A PNG as far as its marks go: a header, one chunk of data and an end. */
function icon(seed) {
  const chunk = (name, data) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = Buffer.alloc(ICON_LENGTH, `icon ${seed} `);
  return Buffer.concat([
    signature,
    chunk('IHDR', Buffer.alloc(13, 1)),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Fills `root` with `count` folders, named formula-00000 and on, or from another number. */
export function writeFolders(root, count, first = 0) {
  const manifest = JSON.parse(
    readFileSync(join(import.meta.dirname, '../formulas-example/tokenize-card/manifest.json'), 'utf8'),
  );
  delete manifest.$schema;
  for (let i = first; i < first + count; i++) {
    const folder = join(root, `formula-${String(i).padStart(5, '0')}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, name: `Formula ${i}` }, null, 2));
    writeFileSync(join(folder, 'code.js'), longCode(i));
    writeFileSync(join(folder, 'icon.png'), icon(i));
  }
}
