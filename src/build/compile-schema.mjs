/** Compiles the manifest's JSON Schema into one plain module, so that no schema is compiled while the tool runs. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import Ajv from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { at } from './paths.mjs';

/**
 * Writes src/generated/manifest-validator.js (ESM, self-contained) and manifest-schema.js (the schema as a value), each
 * with its type declaration. Returns the paths of the files in the validator.
 */
export async function compileSchema() {
  const schema = JSON.parse(readFileSync(at('schema/manifest.schema.json'), 'utf8'));
  const ajv = new Ajv.default({ allErrors: true, allowUnionTypes: true, code: { source: true, esm: true } });
  const source = standaloneCode.default(ajv, ajv.compile(schema));
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
  mkdirSync(at('src/generated'), { recursive: true });
  writeFileSync(at('src/generated/manifest-validator.js'), bundled.outputFiles[0].contents);
  writeFileSync(
    at('src/generated/manifest-validator.d.ts'),
    `export interface SchemaError { instancePath: string; keyword: string; params: Record<string, unknown>; }
declare const validate: { (value: unknown): boolean; errors?: SchemaError[] | null };
export default validate;
`,
  );
  writeFileSync(at('src/generated/manifest-schema.js'), `export default ${JSON.stringify(schema)};\n`);
  writeFileSync(
    at('src/generated/manifest-schema.d.ts'),
    `export interface Schema {
  description?: string;
  type: string | string[];
  enum?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}
declare const schema: Schema;
export default schema;
`,
  );
  return Object.keys(bundled.metafile.inputs);
}
