/** Template: a minimal formula in JavaScript. */
import type { Template } from './template.ts';

export const greet: Template = {
  summary: 'a minimal formula in JavaScript',
  language: 'js',
  description: 'Greets a customer by name',
  contract: {
    configuration: [{ name: 'GREETING', description: 'Greeting to use', type: 'string' }],
    request_parameters: [
      { name: 'customer.name', description: 'Name of the customer', type: 'string' },
      { name: 'loud', description: 'Use upper case', type: 'boolean', optional: true },
    ],
  },
  code: `'use strict';

// args: what the invocation passes (request_parameters in manifest.json).
// configuration: the settings of the reactor (configuration in manifest.json).
// raw is returned in plain text; tokenize is turned into tokens.
module.exports = async ({ args, configuration }) => {
  const greeting = \`\${configuration.GREETING}, \${args.customer.name}\`;
  return { raw: { greeting: args.loud ? \`\${greeting.toUpperCase()}!\` : greeting } };
};
`,
  casesFile: 'greets.json',
  cases: [
    {
      name: 'greets by name',
      args: { customer: { name: 'Ada' } },
      configuration: { GREETING: 'Hello' },
      expect: { raw: { greeting: 'Hello, Ada' } },
    },
    {
      name: 'greets loudly',
      args: { customer: { name: 'Ada' }, loud: true },
      configuration: { GREETING: 'Hello' },
      expect: { raw: { greeting: 'HELLO, ADA!' } },
    },
  ],
};
