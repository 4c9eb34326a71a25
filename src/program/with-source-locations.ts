/** Sends a folder, and shows the fields that the service rejects at the lines of its files. */
import { CliError } from '../errors.ts';
import type { Frame } from '../sync/locate-field-errors.ts';
import { checkedPlace } from './arguments.ts';
import type { Session } from './session.ts';

/** Waits for `work`, which sends the folder; its error names the lines, and on a terminal shows them. */
export async function withSourceLocations<T>(dir: string, session: Session, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { withPlaces } = await import('../sync/locate-field-errors.ts');
    throw withPlaces(error, { ...checkedPlace(dir, session.host), typed: dir }, await createFrame(session));
  }
}

async function createFrame({ isJson, host: { stderr } }: Session): Promise<Frame | undefined> {
  if (!stderr.isTerminal || isJson) return undefined;
  const { framesOf } = await import('../output/code-frame.ts');
  // Secrets are redacted first: frames are truncated to the width.
  return (text, place) => framesOf('manifest.json', stderr.hide(text), stderr.columns)(place);
}
