/** Compiles JSON Schemas into plain modules, so that no schema is compiled while the tool runs. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import Ajv from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { at } from './paths.mjs';

/** The schemas with which the tool validates: schema/NAME.schema.json. */
const VALIDATED = ['manifest', 'tests'];

const DECLARATION = `import type { SchemaError } from '../text/schema-errors.ts';
declare const validate: { (value: unknown): boolean; errors?: SchemaError[] | null };
export default validate;
`;

/**
 * Writes src/generated/NAME-validator.js (ESM, self-contained) of each, and manifest-schema.js (the schema as a value),
 * with their type declarations. Returns the paths of the files in the validators.
 */
export async function compileSchemas() {
  mkdirSync(at('src/generated'), { recursive: true });
  const inputs = await Promise.all(VALIDATED.map(compileSchema));
  const schema = readSchema('manifest');
  writeFileSync(at('src/generated/manifest-schema.js'), `export default ${JSON.stringify(schema)};\n`);
  writeFileSync(
    at('src/generated/manifest-schema.d.ts'),
    `import type { Schema } from '../text/schema-errors.ts';
declare const schema: Schema;
export default schema;
`,
  );
  return inputs.flat();
}

const readSchema = (/** @type {string} */ name) => JSON.parse(readFileSync(at(`schema/${name}.schema.json`), 'utf8'));

async function compileSchema(/** @type {string} */ name) {
  const ajv = new Ajv.default({
    allErrors: true,
    allowUnionTypes: true,
    strictTypes: false,
    verbose: true,
    code: { source: true, esm: true },
  });
  // What a value must be, for messages; editors show it too.
  ajv.addKeyword('errorMessage');
  const source = standaloneCode.default(ajv, ajv.compile(readSchema(name)));
  const bundled = await build({
    stdin: { contents: source, resolveDir: at('.'), loader: 'js' },
    absWorkingDir: at('.'),
    bundle: true,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['main'],
    target: 'node20',
    write: false,
  });
  writeFileSync(at(`src/generated/${name}-validator.js`), bundled.outputFiles[0].contents);
  writeFileSync(at(`src/generated/${name}-validator.d.ts`), DECLARATION);
  return Object.keys(bundled.metafile.inputs);
}
