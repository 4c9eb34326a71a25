/** Read-only mode: commands that write to a service end before their first request and before any prompt. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { findUsedProfile, resolveAddress } from '../settings/resolve-address.ts';
import type { ServiceFlags } from '../settings/resolve-target.ts';
import { createCommandFormatter } from '../text/shell-quote.ts';
import { formatTargetFlags } from './target-flags.ts';

interface WriteFlags extends ServiceFlags {
  dryRun?: boolean | undefined;
  plan?: string | undefined;
}

/** Raises usage (2) if the environment or the profile is read-only. `paths` are the folders that would be published. */
export function assertNotReadOnly(name: string, flags: WriteFlags, paths: readonly string[], host: Host): void {
  if (flags.dryRun) return;
  const reason = findReadOnlyReason(flags, host);
  if (reason === undefined) return;
  const command = createCommandFormatter(host.platform);
  const target = formatTargetFlags(flags, host.platform);
  const plan = flags.plan ?? 'plan.json';
  const diff = command('formula diff', ...(paths.length > 0 ? paths : ['PATH']), '--out', plan) + target;
  const apply = command('formula push --plan', plan) + target;
  throw new CliError('usage', `${name} writes to a service, but ${reason}; nothing was sent`, {
    hint: `${flags.plan === undefined ? `To plan the changes, run: ${diff}\n` : ''}For a person to apply the plan: ${apply}`,
  });
}

function findReadOnlyReason(flags: ServiceFlags, host: Host): string | undefined {
  const profile = findReadOnlyProfile(flags, host);
  if (profile === 'local') return undefined;
  if (!/^(0|false)?$/i.test(host.env['FORMULARY_READ_ONLY']?.trim() ?? '')) return 'FORMULARY_READ_ONLY is set';
  return profile;
}

/** Errors of the settings are left to the command. */
function findReadOnlyProfile(flags: ServiceFlags, host: Host): string | undefined {
  try {
    const address = resolveAddress(flags, host);
    if (address.kind === 'local') return 'local';
    const profile = findUsedProfile(address);
    return profile?.isReadOnly ? `the profile "${profile.name}" is read-only` : undefined;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
