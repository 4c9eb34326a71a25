/** Finds numbers in JSON that JavaScript cannot represent. Pure. */
import { findStringEnd } from './json-scan.ts';

const MAX_WARNINGS = 5;

/** A warning for each of the first numbers that a double cannot represent, with its offset. */
export function findInexactNumbers(text: string): { message: string; at: number }[] {
  const found: { message: string; at: number }[] = [];
  const token = /"|-?\d[\d.eE+-]*/g;
  for (let match = token.exec(text); match && found.length < MAX_WARNINGS; match = token.exec(text)) {
    const [literal] = match;
    const message = `${literal} cannot be represented exactly as a JavaScript number; the code gets ${Number(literal)}`;
    if (literal === '"') token.lastIndex = findStringEnd(text, match.index);
    else if (isInexact(literal)) found.push({ message, at: match.index });
  }
  return found;
}

function isInexact(literal: string): boolean {
  const value = Number(literal);
  if (/^-?\d+$/.test(literal))
    return !Number.isFinite(value) || (literal.length > 15 && BigInt(literal) !== BigInt(value));
  return value === Infinity || value === -Infinity;
}
