/** Adds source locations to the errors of a folder that a service rejects. */
import { CliError } from '../errors.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { FormatFrame } from '../sync/locate-field-errors.ts';
import type { Session } from './session.ts';

/** Awaits `work`, which sends the folder. Its error gets the lines of the rejected fields, on a terminal with a code frame. */
export async function withSourceLocations<T>(folder: Folder, session: Session, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { locateFieldErrors } = await import('../sync/locate-field-errors.ts');
    throw locateFieldErrors(error, folder, await createFrame(session));
  }
}

async function createFrame({ isJson, host: { stderr } }: Session): Promise<FormatFrame | undefined> {
  if (!stderr.isTerminal || isJson) return undefined;
  const { createFrameFormatter } = await import('../output/code-frame.ts');
  // Redacted before the frame truncates the text.
  return (text, place) => createFrameFormatter('manifest.json', stderr.redact(text), stderr.columns)(place);
}
