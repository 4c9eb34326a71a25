/** Template: a formula that tokenizes sensitive data. */
import type { Template } from './template.ts';

export const tokenize: Template = {
  summary: 'tokenize a card number and return its last digits',
  language: 'js',
  description: 'Tokenizes a card number and returns its last four digits',
  contract: {
    configuration: [{ name: 'TOKEN_TYPE', description: 'Type of the tokens, for example card', type: 'string' }],
    request_parameters: [
      { name: 'card.number', description: 'Card number, with or without spaces', type: 'string' },
      { name: 'card.holder', description: 'Name on the card', type: 'string', optional: true },
    ],
  },
  code: `'use strict';

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
  if (!/^\\d{12,19}$/.test(number)) throw new CardError('The card number is not valid.');

  const { holder } = args.card;
  return {
    // Returned in plain text, so it must be safe to expose.
    raw: { last4: number.slice(-4) },
    // Stored as a token; the caller does not receive the data.
    tokenize: { type: configuration.TOKEN_TYPE, data: holder ? { number, holder } : { number } },
  };
};
`,
  casesFile: 'cards.json',
  cases: [
    {
      name: 'tokenizes a card',
      args: { card: { number: '4242 4242 4242 4242', holder: 'Ada Lovelace' } },
      configuration: { TOKEN_TYPE: 'card' },
      expect: {
        raw: { last4: '4242' },
        tokenize: { type: 'card', data: { number: '4242424242424242', holder: 'Ada Lovelace' } },
      },
    },
    {
      name: 'rejects an invalid card number',
      args: { card: { number: '4242' } },
      configuration: { TOKEN_TYPE: 'card' },
      expect: { error: { message: 'not valid', status: 422 } },
    },
  ],
};
