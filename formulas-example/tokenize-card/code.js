'use strict';

const BRANDS = [
  ['visa', /^4\d{12}(\d{3}){0,2}$/],
  ['mastercard', /^(5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}$/],
  ['amex', /^3[47]\d{13}$/],
];

class CardError extends Error {
  constructor(message) {
    super(message);
    this.name = 'CardError';
    this.status = 422;
  }
}

// The check digit of ISO/IEC 7812-1: every second digit from the right counts twice.
function hasCheckDigit(number) {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

module.exports = async ({ args, configuration }) => {
  const { number: input, expiry, holder } = args.card;
  const number = input.replace(/[ -]/g, '');
  const [brand] = BRANDS.find(([, pattern]) => pattern.test(number)) || [];
  if (!brand || !hasCheckDigit(number)) throw new CardError('The card number is not valid.');

  const allowed = configuration.ALLOWED_BRANDS.split(',').map((name) => name.trim().toLowerCase());
  if (!allowed.includes(brand)) throw new CardError(`Cards of ${brand} are not accepted.`);

  return {
    raw: { bin: number.slice(0, 6), last4: number.slice(-4), brand },
    tokenize: {
      type: 'card',
      data: {
        number,
        expiration_month: expiry.month,
        expiration_year: expiry.year,
        ...(holder && { cardholder_name: holder }),
      },
    },
  };
};
