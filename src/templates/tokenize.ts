/** A formula that turns what is sensitive into a token, and returns what may be seen. */
import type { Template } from './template.ts';

export const tokenize: Template = {
  summary: 'turn a card number into a token, and show its last digits',
  language: 'js',
  description: 'Tokenizes a card number and returns its last four digits',
  contract: {
    configuration: [{ name: 'TOKEN_TYPE', description: 'Type of the tokens, for instance card', type: 'string' }],
    request_parameters: [
      { name: 'card.number', description: 'The number, with or without spaces', type: 'string' },
      { name: 'card.holder', description: 'The name on the card', type: 'string', optional: true },
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
    // Returned in plain text, so only what anybody may see.
    raw: { last4: number.slice(-4) },
    // Turned into a token; the caller never gets what is in it.
    tokenize: { type: configuration.TOKEN_TYPE, data: holder ? { number, holder } : { number } },
  };
};
`,
  casesFile: 'cards.json',
  cases: [
    {
      name: 'a card becomes a token',
      args: { card: { number: '4242 4242 4242 4242', holder: 'Ada Lovelace' } },
      configuration: { TOKEN_TYPE: 'card' },
      expect: {
        raw: { last4: '4242' },
        tokenize: { type: 'card', data: { number: '4242424242424242', holder: 'Ada Lovelace' } },
      },
    },
    {
      name: 'what is no card number is refused',
      args: { card: { number: '4242' } },
      configuration: { TOKEN_TYPE: 'card' },
      expect: { error: { message: 'not valid', status: 422 } },
    },
  ],
};
