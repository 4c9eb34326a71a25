/** formulary formula unlink */

import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { DefineCommand } from '../../cli/define.ts';
import { realPath, toSlashes } from '../../files/paths.ts';
import { listAncestors } from '../../files/repository.ts';
import type { Host } from '../../host/host.ts';
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
    .argument('<dir>', 'the formula folder; it may no longer exist')
    .action(async (dir, flags) => {
      const session = createSession(flags, host, LINK_FIELDS);
      const { print, note } = session;
      const folder = findFolder(dir, host);
      const target = findTargetName(flags, host);
      requireWritableLinks(target, host);
      const tracking = openFolderTracking(folder, target, host, note);
      const previousId = tracking.ids.get(folder);
      tracking.unlink(folder);
      await tracking.flush(...(previousId === undefined ? [] : [{ id: previousId, name: dir }]));
      await print(linkView({ folder: toSlashes(dir), id: null, target: target.name }));
      const summary = `Unlinked ${toSlashes(dir)} from formula ${previousId}`;
      note(previousId === undefined ? 'not linked; nothing to do' : escapeControls(summary));
    });
};

/** The absolute and real path of a folder; one that no longer exists may still have an entry. */
function findFolder(dir: string, host: Host): string {
  const path = resolve(host.cwd(), dir);
  if (dir !== '' && !existsSync(path)) {
    const parent = listAncestors(path).find((ancestor) => existsSync(ancestor)) ?? path;
    return join(realPath(parent), relative(parent, path));
  }
  return realPath(resolveFolder(dir, host));
}
