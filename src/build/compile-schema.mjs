/** Compiles JSON Schemas into plain modules, so that no schema is compiled while the tool runs. */
import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { at, writeGenerated, writeModule } from './paths.mjs';

/** The schemas with which the tool validates: schema/NAME.schema.json. */
const VALIDATED = ['manifest', 'tests', 'plan'];

const SCHEMA_ERRORS = "import('../text/schema-errors.ts')";

/**
 * Writes src/generated/NAME-validator.js (ESM, self-contained) of each, and manifest-schema.js (the schema as a value).
 * Returns the paths of the files in the validators.
 */
export async function compileSchemas() {
  writeGenerated('manifest-schema', readSchema('manifest'), `${SCHEMA_ERRORS}.Schema`);
  return (await Promise.all(VALIDATED.map(compileSchema))).flat();
}

const readSchema = (/** @type {string} */ name) => JSON.parse(readFileSync(at(`schema/${name}.schema.json`), 'utf8'));

async function compileSchema(/** @type {string} */ name) {
  const ajv = new Ajv.default({
    // Of a plan, the first error is shown.
    allErrors: name !== 'plan',
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
  const type = `{ (value: unknown): boolean; errors?: ${SCHEMA_ERRORS}.SchemaError[] | null }`;
  writeModule(
    `${name}-validator`,
    bundled.outputFiles[0].text,
    `declare const validate: ${type};\nexport default validate;\n`,
  );
  return Object.keys(bundled.metafile.inputs);
}
