/** The templates of `formula init`: the formula folders in folders/. Each is valid, passes its tests, and can be published as it is. */
import { formatGitAttributes } from '../folder/git-attributes.ts';
import folders from '../generated/templates.js';

/** Shown in the help and the prompt. */
export const TEMPLATES: Readonly<Record<string, string>> = {
  js: 'a minimal formula in JavaScript',
  ts: 'a minimal formula in TypeScript, with generated types',
  tokenize: 'tokenize a card number and return its last digits',
  'call-api': 'call an API over https, with a time limit',
  'share-token': 'read a token with bt and create another one',
  sign: 'sign text with HMAC-SHA256',
  transform: 'convert an order for another system',
};

const readManifest = (template: string) => JSON.parse(folders[template]?.['manifest.json'] ?? '{}');

/** The default description of a formula. */
export const getDescription = (template: string): string => readManifest(template).description;

/**
 * The files of a new formula by name; `schema` is the path of the manifest's schema for editors, `hasLaunch` adds a
 * debugger's configuration.
 */
export function createTemplateFiles(
  template: string,
  {
    schema,
    hasLaunch = false,
    ...metadata
  }: { name: string; description: string; schema?: string | undefined; hasLaunch?: boolean },
): Record<string, string> {
  const manifest = { ...(schema !== undefined && { $schema: schema }), ...readManifest(template), ...metadata };
  return {
    ...folders[template],
    'manifest.json': `${JSON.stringify(manifest, null, 2)}\n`,
    '.gitattributes': formatGitAttributes(template === 'ts' ? 'ts' : 'js'),
    ...(hasLaunch && { '.vscode/launch.json': `${JSON.stringify(LAUNCH, null, 2)}\n` }),
  };
}

/** Attaches the debugger of VS Code to --inspect; the code that runs is not in the workspace. */
const LAUNCH = {
  version: '0.2.0',
  configurations: [
    {
      name: 'Attach to formulary --inspect',
      type: 'node',
      request: 'attach',
      port: 9229,
      resolveSourceMapLocations: ['**', '!**/node_modules/**'],
    },
  ],
};
