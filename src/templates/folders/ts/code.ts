import type { Formula } from './formula';

// args: what the invocation passes (request_parameters in manifest.json).
// configuration: the settings of the reactor (configuration in manifest.json).
// raw is returned in plain text; tokenize is turned into tokens.
// After changes to the manifest, regenerate formula.d.ts with: formulary formula types .
const greet: Formula = async ({ args, configuration }) => {
  const greeting = `${configuration.GREETING}, ${args.customer.name}`;
  return { raw: { greeting: args.loud ? `${greeting.toUpperCase()}!` : greeting } };
};

export default greet;
