/** Template: a minimal formula in TypeScript, with the manifest and tests of the one in JavaScript. */
import { greet } from './greet.ts';
import type { Template } from './template.ts';

export const greetTypeScript: Template = {
  ...greet,
  summary: 'a minimal formula in TypeScript, with generated types',
  language: 'ts',
  code: `import type { Formula } from './formula';

// args: what the invocation passes (request_parameters in manifest.json).
// configuration: the settings of the reactor (configuration in manifest.json).
// raw is returned in plain text; tokenize is turned into tokens.
// After changes to the manifest, regenerate formula.d.ts with: formulary formula types .
const greet: Formula = async ({ args, configuration }) => {
  const greeting = \`\${configuration.GREETING}, \${args.customer.name}\`;
  return { raw: { greeting: args.loud ? \`\${greeting.toUpperCase()}!\` : greeting } };
};

export default greet;
`,
};
