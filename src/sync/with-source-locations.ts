/** Sends a folder, and shows what the service refuses of it at the lines of its files. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { checkedFolder } from '../program/arguments.ts';
import type { OutputFlags } from '../program/flags.ts';
import type { Frame } from './locate-field-errors.ts';

/** Waits for `work`, which sends the folder; its error names the lines, and on a terminal shows them. */
export async function placed<T>(typed: string, flags: OutputFlags, host: Host, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { withPlaces } = await import('./locate-field-errors.ts');
    throw withPlaces(error, { typed, path: checkedFolder(typed, host) }, await frameFor(flags, host));
  }
}

async function frameFor(flags: OutputFlags, { stderr }: Host): Promise<Frame | undefined> {
  if (!stderr.isTerminal || flags.json || flags.output === 'json') return undefined;
  const { framesOf } = await import('../output/code-frame.ts');
  // Frames are cut to the width, so secrets go first.
  return (text, place) => framesOf('manifest.json', stderr.hide(text), stderr.columns)(place);
}
