import type { Formula } from './formula';
import { parseIban } from './lib/iban';

const checkIban: Formula = async ({ args, configuration }) => {
  const { iban: input, holder } = args.account;
  const countries = configuration.COUNTRIES.split(',')
    .map((code) => code.trim().toUpperCase())
    .filter(Boolean);
  const iban = parseIban(input, countries);
  return {
    raw: { country: iban.slice(0, 2), masked: `${iban.slice(0, 4)}…${iban.slice(-4)}` },
    tokenize: { type: 'token', data: { iban, ...(holder !== undefined && { holder }) } },
  };
};

export default checkIban;
