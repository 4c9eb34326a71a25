/** A manifest of any bytes: results in findings with correct positions, or in a formula with its content; never in an exception. */
import assert from 'node:assert/strict';
import { anyText, disturbed } from './any-value.mjs';
import { MANIFESTS } from './corpus.mjs';
import { checkInside } from './located-json.mjs';
import { mutated, mutatedBytes } from './mutate.mjs';
import { readPlainJson } from './plain-json.mjs';

const CODE = Buffer.from('module.exports = async ({ args, configuration }) => ({ raw: { args, configuration } });\n');

const WORDS = [
  '"name":',
  '"Name":',
  '"type": "official"',
  '"description": null',
  '"optional": true',
  '"request_parameters": []',
  '"configuration": [{}]',
  '"$schema": 1',
  '"desciption": "x"',
  '"a..b"',
  '"type": "array"',
  'null',
  '[]',
  '{}',
  '\ufeff',
  '\\ud800',
];

export function make(random) {
  const kind = random.int(6);
  if (kind === 0) return mutatedBytes(random, { corpus: MANIFESTS });
  if (kind <= 2) return Buffer.from(mutated(random, { corpus: MANIFESTS, words: WORDS }));
  let value = JSON.parse(random.pick(MANIFESTS));
  if (random.chance(0.5)) value.name = anyText(random);
  for (const element of [...value.configuration, ...value.request_parameters])
    if (random.chance(0.3)) element.name = anyText(random);
  for (let i = random.int(4); i > 0; i--) value = disturbed(random, value);
  return Buffer.from(JSON.stringify(value, null, random.int(3)) ?? '');
}

export function start({ tool }) {
  const check = async (bytes) => {
    const contents = {
      folder: 'fuzz',
      entries: ['code.js', 'manifest.json'].map((name) => ({ name, kind: 'file' })),
      manifest: { state: 'read', file: 'manifest.json', bytes },
      code: { state: 'read', file: 'code.js', bytes: CODE },
      icons: [],
      tests: [],
    };
    const { body, findings, name } = await tool.checkFormula(contents);
    const text = bytes.toString('utf8').replace(/^\ufeff/, '');
    const errors = findings.filter(({ level }) => level === 'error');
    assert.equal(body === undefined, errors.length > 0, 'neither a formula nor an error');
    checkPlaces(text, findings);
    if (body) checkBody(body, JSON.parse(text));
    if (body) assert.equal(name, body.name);
    if (body) assert.deepEqual(tool.parseManifest(tool.formatManifest(body)).violations, []);
  };
  return { check };
}

/** Findings about a value are at the start of a key or a value. */
function checkPlaces(text, findings) {
  const isDeep = findings.some(({ rule }) => rule === 'manifest-depth');
  const isJson = !isDeep && readPlainJson(text).failsAt === undefined;
  const lines = text.split(/\r\n|[\n\r]/);
  for (const finding of findings) {
    assert.ok(
      finding.message.length > 0 && finding.message.length < 1_000 + 8 * text.length,
      `a message of ${finding.message.length}`,
    );
    if (finding.file !== 'manifest.json' || finding.rule === 'encoding') continue;
    checkInside(text, finding);
    if (!isJson || /secret/.test(finding.rule)) continue;
    const rest = lines[finding.line - 1].slice(finding.column - 1);
    assert.match(rest, /^["[{\dtfn-]/, `${finding.rule} at ${finding.line}:${finding.column} is no value`);
  }
}

function checkBody(body, value) {
  const shown = ({ $schema: _, ...fields }) => fields;
  const { code: _, ...said } = body;
  const known = (keys, object) =>
    Object.fromEntries(keys.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]));
  const wanted = known(['name', 'description', 'type', 'configuration', 'request_parameters'], shown(value));
  const elements = (list, ...more) => list.map((element) => known(['name', 'description', 'type', ...more], element));
  wanted.configuration = elements(wanted.configuration);
  wanted.request_parameters = elements(wanted.request_parameters, 'optional');
  assert.deepEqual(said, wanted);
}
