'use strict';

// args: what the invocation passes (request_parameters in manifest.json).
// configuration: the settings of the reactor (configuration in manifest.json).
// raw is returned in plain text; tokenize is turned into tokens.
module.exports = async ({ args, configuration }) => {
  const greeting = `${configuration.GREETING}, ${args.customer.name}`;
  return { raw: { greeting: args.loud ? `${greeting.toUpperCase()}!` : greeting } };
};
