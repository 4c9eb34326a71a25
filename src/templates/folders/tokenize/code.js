'use strict';

class CardError extends Error {
  constructor(message) {
    super(message);
    this.name = 'CardError';
    this.status = 422;
  }
}

module.exports = async ({ args, configuration }) => {
  const number = args.card.number.replace(/[ -]/g, '');
  // The message must not repeat the number: errors are shown and logged.
  if (!/^\d{12,19}$/.test(number)) throw new CardError('The card number is not valid.');

  const { holder } = args.card;
  return {
    // Returned in plain text, so it must be safe to expose.
    raw: { last4: number.slice(-4) },
    // Stored as a token; the caller does not receive the data.
    tokenize: { type: configuration.TOKEN_TYPE, data: holder ? { number, holder } : { number } },
  };
};
