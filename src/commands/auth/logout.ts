/** formulary auth logout */

import type { DefineCommand } from '../../cli/define.ts';
import { profileOption, withOutputFlags } from '../../session/flags.ts';
import { createSession } from '../../session/session.ts';
import { resolveProfileName, unknownProfileError } from '../../settings/resolve-address.ts';
import { DEFAULT_PROFILE, listProfileNames, removeProfile } from '../../state/profiles.ts';
import { fieldsView } from '../../views/list-view.ts';

const FIELDS: readonly string[] = ['profile', 'outcome'];

export const logout: DefineCommand = (command, host) => {
  withOutputFlags(command)
    .description('Remove a saved key and its base URL. Nothing is sent, and the key is not revoked on the service.')
    .addOption(profileOption())
    .action(async (flags) => {
      const session = createSession(flags, host, FIELDS);
      const named = resolveProfileName(flags, host);
      const profile = named ?? DEFAULT_PROFILE;
      const wasSaved = removeProfile(host, profile);
      // Removing nothing succeeds, unless the name is likely a typo.
      if (!wasSaved && (named !== undefined || listProfileNames(host).length > 0))
        throw unknownProfileError(profile, host, 'remove');
      const outcome = wasSaved ? 'forgotten' : 'not_kept';
      await session.print(
        fieldsView({ profile, outcome }, [
          { key: 'profile', text: profile },
          { key: 'outcome', text: wasSaved ? 'removed' : 'not saved' },
        ]),
      );
      session.note(wasSaved ? `Removed the saved login ${profile}.` : 'No login was saved.');
      if (wasSaved && host.env['FORMULARY_API_KEY']) session.note('FORMULARY_API_KEY is still set and will be used.');
    });
};
