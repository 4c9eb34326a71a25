/** Sends a folder, and shows the fields that the service rejects at the lines of its files. */
import { CliError } from '../errors.ts';
import type { FormatFrame } from '../sync/locate-field-errors.ts';
import { resolveFolderRef } from './arguments.ts';
import type { Session } from './session.ts';

/** Waits for `work`, which sends the folder; its error names the lines, and on a terminal shows them. */
export async function withSourceLocations<T>(dir: string, session: Session, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { locateFieldErrors } = await import('../sync/locate-field-errors.ts');
    throw locateFieldErrors(error, { ...resolveFolderRef(dir, session.host), typed: dir }, await createFrame(session));
  }
}

async function createFrame({ isJson, host: { stderr } }: Session): Promise<FormatFrame | undefined> {
  if (!stderr.isTerminal || isJson) return undefined;
  const { createFrameFormatter } = await import('../output/code-frame.ts');
  // Secrets are redacted first: frames are truncated to the width.
  return (text, place) => createFrameFormatter('manifest.json', stderr.redact(text), stderr.columns)(place);
}
