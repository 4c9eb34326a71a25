import lengths from './lengths.json';

/** Rejects the IBAN, with the field that is invalid. */
export class IbanError extends Error {
  readonly status = 422;
  readonly errors: { 'account.iban': string[] };

  constructor(message: string) {
    super(message);
    this.name = 'IbanError';
    this.errors = { 'account.iban': [message] };
  }
}

/** The IBAN in upper case, without spaces. Throws IbanError if it is invalid, or its country is not accepted. */
export function parseIban(input: string, countries: readonly string[]): string {
  const iban = input.replace(/\s/g, '').toUpperCase();
  const country = iban.slice(0, 2);
  const length = new Map(Object.entries(lengths)).get(country);
  if (length === undefined) throw new IbanError('The country of the IBAN is unknown.');
  if (countries.length > 0 && !countries.includes(country))
    throw new IbanError(`${country} is not an accepted country.`);
  if (iban.length !== length)
    throw new IbanError(`An IBAN of ${country} must have ${length} characters (got ${iban.length}).`);
  if (!/^[A-Z0-9]+$/.test(iban) || remainder(iban) !== 1)
    throw new IbanError('The check digits of the IBAN are invalid.');
  return iban;
}

/** ISO 7064, modulus 97: the first four characters are moved to the end, and A is 10. */
function remainder(iban: string): number {
  const digits = [...(iban.slice(4) + iban.slice(0, 4))].map((character) => parseInt(character, 36)).join('');
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0);
}
