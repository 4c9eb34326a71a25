'use strict';

const crypto = require('crypto');

// The same payload must always be signed as the same string, in any order of its keys.
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(',')}}`;
}

// args.payload is not declared: undeclared arguments are passed through unchanged, including objects.
module.exports = async ({ args, configuration }) => {
  const text = `${args.timestamp}.${canonical(args.payload === undefined ? {} : args.payload)}`;
  const signature = crypto.createHmac('sha256', configuration.SIGNING_SECRET).update(text, 'utf8').digest('hex');
  return { raw: { signature: `t=${args.timestamp},${configuration.HEADER_PREFIX}${signature}` } };
};
