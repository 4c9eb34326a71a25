/** Template: a formula that calls `bt`, the client of the service, with doubles in its tests. */
import type { Template } from './template.ts';

export const shareToken: Template = {
  summary: 'read a token with bt and create another one',
  language: 'js',
  description: 'Creates a token with the last digits of a card',
  contract: {
    configuration: [],
    request_parameters: [{ name: 'token_id', description: 'Id of the card token', type: 'string' }],
  },
  code: `'use strict';

class TokenError extends Error {
  constructor(message, status) {
    super(message);
    this.name = 'TokenError';
    this.status = status;
  }
}

module.exports = async ({ args, bt }) => {
  // bt is null if the reactor has no application.
  if (bt === null) throw new TokenError('This formula needs an application.', 403);

  let token;
  try {
    token = await bt.tokens.retrieve(args.token_id);
  } catch (error) {
    throw new TokenError('The token cannot be read.', error.status === 404 ? 404 : 502);
  }

  const last4 = token.data.number.slice(-4);
  const shared = await bt.tokens.create({ type: 'token', data: last4, containers: ['/general/low/'] });
  return { raw: { id: shared.id, last4 } };
};
`,
  casesFile: 'tokens.json',
  cases: [
    {
      name: 'creates a token with the last digits',
      args: { token_id: 'token-1' },
      doubles: {
        bt: {
          'tokens.retrieve': [{ returns: { id: 'token-1', data: { number: '4242424242424242' } } }],
          'tokens.create': [{ returns: { id: 'token-2' } }],
        },
      },
      expect: {
        raw: { id: 'token-2', last4: '4242' },
        calls: [
          { bt: 'tokens.retrieve', with: ['token-1'] },
          { bt: 'tokens.create', with: [{ data: '4242' }] },
        ],
      },
    },
    {
      name: 'reports a missing token',
      args: { token_id: 'token-1' },
      doubles: { bt: { 'tokens.retrieve': [{ throws: { status: 404, message: 'not found' } }] } },
      expect: { error: { message: 'cannot be read', status: 404 } },
    },
    { name: 'requires an application', args: { token_id: 'token-1' }, expect: { error: { status: 403 } } },
  ],
};
