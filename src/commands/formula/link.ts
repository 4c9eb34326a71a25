/** formulary formula link */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findFormula } from '../../api/find-formula.ts';
import { listFormulas } from '../../api/formula-reads.ts';
import { formatIncomplete } from '../../api/incomplete-list.ts';
import { assertSingleFormula } from '../../check/valid-folder.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { realPath, toDisplayFolder, toSlashes } from '../../files/paths.ts';
import { readManifestName } from '../../folder/manifest.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { requireNonEmpty, resolveFolderRef } from '../../session/arguments.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { createSession } from '../../session/session.ts';
import { assertSameTenant } from '../../sync/push/tenant-guard.ts';
import { openFolderTracking, requireWritableLinks, type Tracking } from '../../sync/tracking.ts';
import { type CommandFormatter, createCommandFormatter, toPathArgument } from '../../text/shell-quote.ts';
import { LINK_FIELDS, linkView } from '../../views/link-view.ts';

export const link: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Link a folder to a private formula in formulas.lock.json, which push, pull, and update use. Exits with 6 if the lock file has other formulas and none of them exists on the service. Requires the permission reactor:read.',
    )
    .argument('<dir>', 'the formula folder')
    .argument('<id|name>', 'id of the formula, or its exact name')
    .option('--force', 'continue if the service has none of the formulas in the lock file')
    .action(async (dir, idOrName, flags) => {
      const session = createSession(flags, host, LINK_FIELDS);
      requireNonEmpty(idOrName);
      const typed = resolveFolderRef(dir, host);
      assertSingleFormula(typed, 'nothing was linked', createCommandFormatter(host.platform));
      const folder = realPath(typed.path);
      if (!existsSync(join(folder, 'manifest.json'))) {
        throw new CliError('invalid', `${dir} is not a formula folder (no manifest.json)`);
      }
      const { client, target } = await session.connect();
      requireWritableLinks(target, host);
      const tracking = openFolderTracking(folder, target, host, session.warn, { createsLockfile: true });
      const formula = await findFormula(client, idOrName);
      if (formula.type === 'official') {
        throw new CliError(
          'usage',
          `${JSON.stringify(formula.name)} is an official formula; only private formulas can be linked to a folder`,
        );
      }
      const moved = moveLink(folder, formula, tracking, client.command, host);
      const previousId = tracking.ids.get(folder);
      const others = [...tracking.ids].filter(([place]) => place !== folder).map(([, other]) => other);
      if (others.length > 0 && !flags.force) {
        const list = await listFormulas(client, { needsContent: () => false });
        formatIncomplete(list).forEach(session.warn);
        const locked = { ids: others, files: tracking.files };
        assertSameTenant(locked, list, 'adds this formula to the same lock file', client.command);
      }
      tracking.link(folder, formula);
      await tracking.flush(formula);
      if (moved !== undefined) session.note(escapeControls(`note: ${moved} is no longer linked to it`));
      const isReplaced = previousId !== undefined && previousId.toLowerCase() !== formula.id.toLowerCase();
      if (isReplaced) session.note(`note: previously linked to ${previousId}`);
      await session.print(
        linkView({ folder: toSlashes(dir), id: formula.id, name: formula.name, target: target.name }),
      );
      session.note(
        escapeControls(`Linked ${toSlashes(dir)} to formula ${JSON.stringify(formula.name)} (${formula.id})`),
      );
    });
};

/**
 * Unlinks and returns the folder that the formula is linked to, if it has another name and this one has the formula's: it
 * was renamed, or took the place of this one. Raises conflict (6) for any other folder.
 */
function moveLink(
  folder: string,
  formula: Formula,
  tracking: Tracking,
  command: CommandFormatter,
  host: Host,
): string | undefined {
  const owner = tracking.findFolder(formula);
  if (owner === undefined || owner === folder) return undefined;
  const other = toDisplayFolder(host.cwd(), owner);
  if (isNamed(folder, formula) && !isNamed(owner, formula)) {
    tracking.unlink(owner);
    return other;
  }
  throw new CliError('conflict', `formula ${formula.id} is linked to another folder: ${other}`, {
    hint: `To move the link, first run: ${command('formula unlink', toPathArgument(other))}`,
  });
}

const isNamed = (folder: string, { name }: Formula) => readManifestName(folder) === name;
