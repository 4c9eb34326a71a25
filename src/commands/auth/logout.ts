/** formulary auth logout */
import type { Define } from '../../program/define.ts';
import { profileOption, withOutputFlags } from '../../program/flags.ts';
import { createSession } from '../../program/session.ts';
import { profileWord, unknownProfile } from '../../settings/resolve-address.ts';
import { DEFAULT_PROFILE, profileNames, removeProfile } from '../../state/profiles.ts';
import { fieldsAnswer } from '../../views/list-view.ts';

export const logout: Define = (command, host) => {
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
      const named = profileWord(flags, host);
      const profile = named ?? DEFAULT_PROFILE;
      const wasKept = removeProfile(host, profile);
      // Nothing to do is no failure, unless a name was meant to be one of those that there are.
      if (!wasKept && (named !== undefined || profileNames(host).length > 0)) throw unknownProfile(profile, host);
      const outcome = wasKept ? 'forgotten' : 'not_kept';
      await print(
        fieldsAnswer({ profile, outcome }, [
          { key: 'profile', text: profile },
          { key: 'outcome', text: wasKept ? 'forgotten' : 'nothing was kept' },
        ]),
      );
      if (wasKept && host.env['FORMULARY_API_KEY']) {
        session.note('FORMULARY_API_KEY is set, and is used further');
      }
    });
};
