/** The formula folder that `init` writes: small, valid, and published as it is. */

/** The files of a new JavaScript formula, by name. */
export function starterFiles(name: string, description: string): Record<string, string> {
  const manifest = {
    name,
    description,
    type: 'private',
    configuration: [{ name: 'GREETING', description: 'The word to greet with', type: 'string' }],
    request_parameters: [
      { name: 'customer.name', description: 'Who is greeted', type: 'string' },
      { name: 'loud', description: 'Whether to shout', type: 'boolean', optional: true },
    ],
  };
  return {
    'manifest.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'code.js': CODE,
    'tests/greets.json': `${JSON.stringify(CASES, null, 2)}\n`,
    '.gitattributes':
      '# The code is published byte for byte, so git must not change its line endings.\ncode.js -text\n',
  };
}

const CODE = `'use strict';

// args: what the invocation passes (request_parameters in manifest.json).
// configuration: the settings of the reactor (configuration in manifest.json).
// raw is returned in plain text; tokenize is turned into tokens.
module.exports = async ({ args, configuration }) => {
  const greeting = \`\${configuration.GREETING}, \${args.customer.name}\`;
  return { raw: { greeting: args.loud ? \`\${greeting.toUpperCase()}!\` : greeting } };
};
`;

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
