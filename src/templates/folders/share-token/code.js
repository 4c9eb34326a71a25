'use strict';

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
