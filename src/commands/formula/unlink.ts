/** formulary formula unlink */

import type { DefineCommand } from '../../cli/define.ts';
import { realPath, toSlashes } from '../../files/paths.ts';
import { escapeControls } from '../../output/escape.ts';
import { resolveFolder } from '../../session/arguments.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { createSession } from '../../session/session.ts';
import { findTargetName } from '../../settings/resolve-target.ts';
import { openFolderTracking, requireWritableLinks } from '../../sync/tracking.ts';
import { LINK_FIELDS, linkView } from '../../views/link-view.ts';

export const unlink: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Remove the link of a folder from formulas.lock.json. The folder and the formula are not changed. Sends nothing and requires no key.',
    )
    .argument('<dir>', 'the formula folder')
    .addHelpText('after', '\nExample:\n  formulary formula unlink my-formula --base-url https://api.example.com')
    .action(async (dir, flags) => {
      const session = createSession(flags, host, LINK_FIELDS);
      const { print, note } = session;
      const folder = realPath(resolveFolder(dir, host));
      const target = findTargetName(flags, host);
      requireWritableLinks(target, host);
      const tracking = openFolderTracking(folder, target, host, note);
      const previousId = tracking.findId(folder);
      tracking.unlink(folder);
      await tracking.flush(...(previousId === undefined ? [] : [{ id: previousId, name: dir }]));
      await print(linkView({ folder: toSlashes(dir), id: null, target: target.name }));
      const summary = `Unlinked ${toSlashes(dir)} from formula ${previousId}`;
      note(previousId === undefined ? 'not linked; nothing to do' : escapeControls(summary));
    });
};
