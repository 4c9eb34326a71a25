import lengths from './lengths.json';

/** What the invocation is answered with when the IBAN is refused. */
export class IbanError extends Error {
  readonly status = 422;
  readonly errors: { 'account.iban': string[] };

  constructor(message: string) {
    super(message);
    this.name = 'IbanError';
    this.errors = { 'account.iban': [message] };
  }
}

/** The IBAN without spaces and in capitals. Throws IbanError for one that cannot exist, or of a country that is not taken. */
export function checkedIban(typed: string, countries: readonly string[]): string {
  const iban = typed.replace(/\s/g, '').toUpperCase();
  const country = iban.slice(0, 2);
  const length = new Map(Object.entries(lengths)).get(country);
  if (length === undefined) throw new IbanError('The country of the IBAN is not known.');
  if (countries.length > 0 && !countries.includes(country)) throw new IbanError(`An IBAN of ${country} is not taken.`);
  if (iban.length !== length)
    throw new IbanError(`An IBAN of ${country} has ${length} characters, not ${iban.length}.`);
  if (!/^[A-Z0-9]+$/.test(iban) || remainder(iban) !== 1)
    throw new IbanError('The check digits of the IBAN are wrong.');
  return iban;
}

/** ISO 7064, modulus 97: the first four characters go to the end, and letters count from A = 10. */
function remainder(iban: string): number {
  const digits = [...(iban.slice(4) + iban.slice(0, 4))].map((character) => parseInt(character, 36)).join('');
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0);
}
