/** Resolves the base URL that `auth login` saves a key for. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { Profile } from '../state/profiles.ts';
import { formatBaseUrl } from './base-url.ts';
import {
  type AddressFlags,
  isForBaseUrl,
  resolveProfileName,
  type ServiceAddress,
  toServiceAddress,
} from './resolve-address.ts';

/** Resolves the base URL that `auth login` saves a key for. Raises usage (2) like `resolveAddress`, and for an ambiguous one. */
export function resolveLoginAddress(
  flags: AddressFlags,
  host: Host,
  savedProfile: Profile | undefined,
): ServiceAddress {
  if (flags.local) {
    throw new CliError('usage', 'the embedded service needs no key', {
      hint: 'To use it, pass --local to other commands.',
    });
  }
  const address = toServiceAddress(flags, host, savedProfile, false);
  if (!address) {
    throw new CliError('usage', '--base-url is required', {
      hint: 'Example: formulary auth login --base-url https://api.example.com',
    });
  }
  const isProfileExplicit = resolveProfileName(flags, host) !== undefined;
  // A key for one of two base URLs must not be sent to the other.
  if (
    isProfileExplicit &&
    savedProfile &&
    address.baseUrlSource === 'environment' &&
    !isForBaseUrl(savedProfile, address.baseUrl)
  ) {
    const message = `FORMULARY_BASE_URL is ${formatBaseUrl(address.baseUrl)}, but the profile "${savedProfile.name}" is for ${savedProfile.baseUrl}`;
    throw new CliError('usage', message, { hint: 'To select one of them, pass --base-url URL.' });
  }
  return address;
}
