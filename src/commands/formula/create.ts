/** formulary formula create */

import type { Send } from '../../api/client.ts';
import { sameId } from '../../api/formula-guards.ts';
import { findFormulaById, listFormulas } from '../../api/formula-reads.ts';
import { createCall, createFormula } from '../../api/formula-writes.ts';
import { findNamesakes, idsBefore, type Namesakes } from '../../api/incomplete-list.ts';
import type { Collected } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import { realPath } from '../../files/paths.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { checkedFolder } from '../../program/arguments.ts';
import type { Define } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { loadBody } from '../../program/load-folder.ts';
import { createSession } from '../../program/session.ts';
import { withSourceLocations } from '../../program/with-source-locations.ts';
import type { ServiceFlags } from '../../settings/resolve-target.ts';
import { refuseNameConflict, refuseTakenName } from '../../sync/name-conflict.ts';
import { openNotes } from '../../sync/tracking.ts';
import { pathArgument } from '../../text/shell-quote.ts';
import { callAnswer, formulaAnswer } from '../../views/formula-view.ts';

const LIST = { doing: 'check whether the name is taken', needsContent: () => false };

export const create: Define = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('create one formula from a folder')
    .description(
      'Create one formula from a folder, after checking it. Needs the permissions reactor:create and reactor:read.',
    )
    .argument('<dir>', 'the formula folder')
    .option('--allow-duplicate', 'create it even when a private formula of that name exists')
    .option('--link', 'record in formulas.lock.json which formula the folder is, also where there is none yet')
    .option('--dry-run', 'show the request that would be sent, and send nothing that writes')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula create my-formula --local\n  formulary formula create my-formula --dry-run --json',
    )
    .action(async (dir, flags) => {
      const session = createSession(flags, host);
      const { print, note } = session;
      const body = await loadBody(dir, session);
      if (flags.dryRun) {
        const isOffline = !hasService(flags, host);
        if (!isOffline && !flags.allowDuplicate) {
          const { send } = await session.connect();
          const existing = await listFormulas(send, LIST);
          refuseTakenName(await findNamesakes(send, existing, body.name), body.name, send, dir);
        }
        if (isOffline) note('note: without a base address it was not checked whether the name is taken');
        return print(callAnswer(createCall(body)));
      }
      const created = await session.write(async ({ send, target }) => {
        const folder = realPath(checkedFolder(dir, host));
        const notes = openNotes(folder, target, host, send.warn, { makesLock: flags.link ?? false });
        const existing = await listFormulas(send, LIST);
        const namesakes = await findNamesakes(send, existing, body.name);
        const own = await linkedFormula(send, existing, notes.idOf(folder));
        if (!flags.allowDuplicate) refuseDuplicate({ dir, name: body.name, namesakes, own }, send);
        const known = idsBefore(existing, namesakes);
        const formula = await withSourceLocations(dir, session, createFormula(send, body, known));
        // The second formula of a folder is not what the folder is, unless that is said.
        const linked = own && !flags.link ? [] : [formula];
        for (const one of linked) notes.link(folder, one);
        notes.saw(formula);
        await notes.saved(...linked);
        if (!flags.allowDuplicate) await refuseNameConflict(send, formula, known);
        return formula;
      });
      return print(formulaAnswer(created, host.now()));
    });
};

/** Whether any source names a service. */
const hasService = (flags: ServiceFlags, { env }: Host): boolean =>
  flags.local === true || [flags.baseUrl, env['FORMULARY_BASE_URL'], env['FORMULARY_PROFILE']].some((value) => value);

/** The formula of an id that the lock has. */
async function linkedFormula(send: Send, existing: Collected<Formula>, id: string | undefined) {
  if (id === undefined) return undefined;
  const listed = existing.items.find((formula) => sameId(formula.id, id));
  return listed ?? (existing.doubt === undefined ? undefined : findFormulaById(send, id));
}

interface Wanted {
  dir: string;
  name: string;
  namesakes: Namesakes;
  /** The formula that the folder is linked to. */
  own: Formula | undefined;
}

/** Raises conflict (6) when the name is in use, or the folder is linked to a formula that exists. */
function refuseDuplicate({ dir, name, namesakes, own }: Wanted, send: Send): void {
  refuseTakenName(namesakes, name, send, dir);
  if (!own) return;
  const message = `${dir} is linked to a formula that exists already: ${JSON.stringify(own.name)} (${own.id})`;
  throw new CliError('conflict', message, {
    hint: `to replace it: ${send.command('formula update', pathArgument(dir))}; to have a second one: --allow-duplicate`,
    details: { ids: [own.id] },
  });
}
