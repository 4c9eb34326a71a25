/** Icons, any bytes: judged without an exception; what is called whole has its marks, and comes back from its data URL as it was. */
import assert from 'node:assert/strict';
import { ICON } from './corpus.mjs';
import { mutatedBytes } from './mutate.mjs';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffda0004000011223344ffd9', 'hex');
const WITH_THUMBNAIL = Buffer.concat([
  Buffer.from('ffd8ffe1', 'hex'),
  Buffer.from([0, JPEG.length + 2]),
  JPEG,
  JPEG.subarray(2),
]);
const OTHERS = [
  'GIF89a',
  'RIFF....WEBPVP8 ',
  'BM',
  '%PDF-1.7',
  '....ftypavif',
  '<svg xmlns="x">',
  '<?xml version="1.0"?>\n<!-- x -->\n<svg>',
  '<!doctype html>',
];
const CORPUS = [ICON, PIXEL, JPEG, WITH_THUMBNAIL, ...OTHERS.map((text) => Buffer.from(text))];
const WORDS = [
  '89504e470d0a1a0a',
  '0000000049454e44ae426082',
  'ffffffff49444154',
  'ffd8ff',
  'ffd9',
  'ffda',
  'ffff',
  'ff01',
  'ffe1ffff',
  'ffe10000',
  '00000000',
].map((hex) => Buffer.from(hex, 'hex'));

export function make(random) {
  const bytes = random.chance(0.05)
    ? Buffer.from(random.times(64, () => random.int(256)))
    : mutatedBytes(random, { corpus: CORPUS, words: WORDS });
  // A length of a chunk that lies.
  if (random.chance(0.3) && bytes.length > 12)
    bytes.writeUInt32BE(
      random.pick([0, 1, 0x7fffffff, 0xffffffff, bytes.length, random.int(64)]),
      random.int(bytes.length - 4),
    );
  return bytes;
}

export function start({ tool }) {
  const check = async (bytes) => {
    const kind = tool.identifyIcon(bytes);
    const isWhole = kind.type !== undefined && kind.problem === undefined;
    if (kind.type === 'image/png' && isWhole)
      assert.ok(bytes.includes('IEND') && /^(IHDR|CgBI)$/.test(bytes.toString('latin1', 12, 16)));
    if (kind.type === 'image/jpeg' && isWhole)
      assert.ok(bytes.includes(Buffer.from('ffd9', 'hex')) && bytes.includes(Buffer.from('ffda', 'hex')));
    if (kind.type === undefined) assert.ok(kind.found.length > 0);
    const { findings, body } = await tool.checkFormula(contentsOf(bytes));
    const errors = findings.filter(({ level }) => level === 'error');
    assert.deepEqual(
      errors.map(({ rule }) => rule),
      isWhole ? [] : ['icon-type'],
    );
    if (!isWhole) return;
    const files = tool.toFormulaFiles({ id: '1', ...body });
    assert.ok(files.icon?.bytes.equals(bytes), 'the icon does not come back');
  };
  return { check };
}

const MANIFEST = Buffer.from('{"name":"Icon","type":"private","configuration":[],"request_parameters":[]}');

function contentsOf(bytes) {
  const file = (name, content) => ({ state: 'read', file: name, bytes: content });
  return {
    folder: 'fuzz',
    entries: ['code.js', 'icon.png', 'manifest.json'].map((name) => ({ name, kind: 'file' })),
    manifest: file('manifest.json', MANIFEST),
    code: file('code.js', Buffer.from('module.exports = async (req) => ({ raw: req });\n')),
    icons: [file('icon.png', bytes)],
    tests: [],
  };
}
