/** The formula folder that `init` writes: small, valid, and published as it is. */

/** The languages that the code can be in. */
export const LANGUAGES = ['js', 'ts'] as const;

export type Language = (typeof LANGUAGES)[number];

/** What the manifest of a new formula holds. */
export function starterManifest(name: string, description: string) {
  return {
    name,
    description,
    type: 'private' as const,
    configuration: [{ name: 'GREETING', description: 'The word to greet with', type: 'string' as const }],
    request_parameters: [
      { name: 'customer.name', description: 'Who is greeted', type: 'string' as const },
      { name: 'loud', description: 'Whether to shout', type: 'boolean' as const, optional: true },
    ],
  };
}

/** The files of a new formula, by name; of TypeScript without the types that are generated. */
export function starterFiles(manifest: object, language: Language = 'js'): Record<string, string> {
  const code = `code.${language}`;
  return {
    'manifest.json': json(manifest),
    [code]: language === 'js' ? CODE_JS : CODE_TS,
    'tests/greets.json': json(CASES),
    ...(language === 'ts' && { 'tsconfig.json': json(TSCONFIG) }),
    '.gitattributes': gitAttributes(language),
  };
}

/** Keeps git from changing the bytes of the code. */
export const gitAttributes = (language: Language): string => `${ATTRIBUTES[language]}\ncode.${language} -text\n`;

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const ATTRIBUTES: Readonly<Record<Language, string>> = {
  js: '# The code is published byte for byte, so git must not change its line endings.',
  ts: '# What is published must not depend on the line endings that git would write.',
};

const CODE_JS = `'use strict';

// args: what the invocation passes (request_parameters in manifest.json).
// configuration: the settings of the reactor (configuration in manifest.json).
// raw is returned in plain text; tokenize is turned into tokens.
module.exports = async ({ args, configuration }) => {
  const greeting = \`\${configuration.GREETING}, \${args.customer.name}\`;
  return { raw: { greeting: args.loud ? \`\${greeting.toUpperCase()}!\` : greeting } };
};
`;

const CODE_TS = `import type { Formula } from './formula';

// args: what the invocation passes (request_parameters in manifest.json).
// configuration: the settings of the reactor (configuration in manifest.json).
// raw is returned in plain text; tokenize is turned into tokens.
// After a change of the manifest, formulary formula types writes formula.d.ts anew.
const greet: Formula = async ({ args, configuration }) => {
  const greeting = \`\${configuration.GREETING}, \${args.customer.name}\`;
  return { raw: { greeting: args.loud ? \`\${greeting.toUpperCase()}!\` : greeting } };
};

export default greet;
`;

/** For editors and tsc, which only check: the code is bundled when it is run or published. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2021',
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    resolveJsonModule: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
};

const CASES = [
  {
    name: 'greets by name',
    args: { customer: { name: 'Ada' } },
    configuration: { GREETING: 'Hello' },
    expect: { raw: { greeting: 'Hello, Ada' } },
  },
  {
    name: 'shouts when asked to',
    args: { customer: { name: 'Ada' }, loud: true },
    configuration: { GREETING: 'Hello' },
    expect: { raw: { greeting: 'HELLO, ADA!' } },
  },
];
