/** formulary formula unlink */

import { realPath, toSlashes } from '../../files/paths.ts';
import { checkedFolder } from '../../program/arguments.ts';
import type { Define } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { createSession } from '../../program/session.ts';
import { findTargetName } from '../../settings/resolve-target.ts';
import { openNotes, requireLinks } from '../../sync/tracking.ts';
import { linkAnswer } from '../../views/link-view.ts';

export const unlink: Define = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('forget which formula a folder is')
    .description(
      'Forget which formula of the service a folder is. Folder and formula stay as they are; nothing is sent, and no key is needed.',
    )
    .argument('<dir>', 'the formula folder')
    .addHelpText('after', '\nExample:\n  formulary formula unlink my-formula --base-url https://api.example.com')
    .action(async (dir, flags) => {
      const session = createSession(flags, host);
      const { print, note } = session;
      const folder = realPath(checkedFolder(dir, host));
      const target = findTargetName(flags, host);
      requireLinks(target, host);
      const notes = openNotes(folder, target, host, note);
      const before = notes.idOf(folder);
      notes.unlink(folder);
      await notes.saved(...(before === undefined ? [] : [{ id: before, name: dir }]));
      await print(linkAnswer({ folder: toSlashes(dir), id: null, target: target.name }));
      note(before === undefined ? 'nothing to forget: the folder was not linked' : `it was linked to ${before}`);
    });
};
