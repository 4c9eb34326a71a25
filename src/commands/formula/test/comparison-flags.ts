/** The flags of `formula test --compare`. */
import { CliError } from '../../../errors.ts';
import { findFlag, parseCount } from '../../../session/flags.ts';

const EXCLUDED = ['update', 'watch', 'inspect', 'network', 'passWithNoTests'] as const;
const DEFAULT_CALLS = 100;
const MAX_SEED = 2 ** 32;

type CompareFlags = { [K in 'compare' | 'generate' | 'seed']?: string | undefined } & {
  [K in (typeof EXCLUDED)[number]]?: unknown;
};

/** The version, how many calls are generated, and their seed; undefined without --compare. Raises usage (2). */
export function parseComparison(flags: CompareFlags) {
  const { compare, generate, seed } = flags;
  if (compare === undefined) {
    const extra = findFlag(flags, ['generate', 'seed']);
    if (extra) throw new CliError('usage', `${extra} requires --compare`);
    return undefined;
  }
  if (compare === '') throw new CliError('usage', 'invalid value "" for --compare: must be remote or a commit');
  const excluded = findFlag(flags, EXCLUDED);
  if (excluded !== undefined) throw new CliError('usage', `--compare and ${excluded} cannot be used together`);
  if (seed !== undefined && !(/^\d{1,10}$/.test(seed) && Number(seed) < MAX_SEED))
    throw new CliError('usage', `invalid value "${seed}" for --seed: must be an integer from 0 to ${MAX_SEED - 1}`);
  return {
    compare,
    calls: parseCount(generate, '--generate') ?? DEFAULT_CALLS,
    seed: Number(seed ?? Math.floor(Math.random() * MAX_SEED)),
  };
}
