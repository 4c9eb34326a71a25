/** The source lines around the failure of an invocation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundle } from '../code/bundle/bundle.ts';
import type { InvocationFailure } from './failure.ts';

/** The lines to print below the message of a failure; empty if its location is unknown. */
export async function formatFailureFrame(
  { locations: [place] }: Pick<InvocationFailure, 'locations'>,
  folder: string,
  bundle: Bundle | undefined,
  width: number,
): Promise<string> {
  if (!place) return '';
  const text = bundle?.sources.get(place.file) ?? readText(join(folder, place.file));
  if (text === undefined) return '';
  const { createFrameFormatter } = await import('../output/code-frame.ts');
  return `\n${createFrameFormatter(place.file, text, width)(place)}`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch {
    return undefined;
  }
}
