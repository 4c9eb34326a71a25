/** formulary auth logout */
import type { DefineCommand } from '../../program/define.ts';
import { profileOption, withOutputFlags } from '../../program/flags.ts';
import { createSession } from '../../program/session.ts';
import { resolveProfileName, unknownProfileError } from '../../settings/resolve-address.ts';
import { DEFAULT_PROFILE, listProfileNames, removeProfile } from '../../state/profiles.ts';
import { fieldsView } from '../../views/list-view.ts';

export const logout: DefineCommand = (command, host) => {
  withOutputFlags(command)
    .summary('forget a kept key')
    .description(
      'Forget a key that auth login kept, and its address. Nothing is sent: the key itself stays as good as it was.',
    )
    .addOption(profileOption())
    .addHelpText('after', '\nExamples:\n  formulary auth logout\n  formulary auth logout --profile test')
    .action(async (flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      const named = resolveProfileName(flags, host);
      const profile = named ?? DEFAULT_PROFILE;
      const wasSaved = removeProfile(host, profile);
      // Nothing to do is no failure, unless a name was meant to be one of those that there are.
      if (!wasSaved && (named !== undefined || listProfileNames(host).length > 0))
        throw unknownProfileError(profile, host);
      const outcome = wasSaved ? 'forgotten' : 'not_kept';
      await print(
        fieldsView({ profile, outcome }, [
          { key: 'profile', text: profile },
          { key: 'outcome', text: wasSaved ? 'forgotten' : 'nothing was kept' },
        ]),
      );
      if (wasSaved && host.env['FORMULARY_API_KEY']) {
        session.note('FORMULARY_API_KEY is set, and is used further');
      }
    });
};
