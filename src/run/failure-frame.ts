/** The source lines around the failure of an invocation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundle } from '../code/bundle/bundle.ts';
import type { InvocationFailure } from './failure.ts';

/** The lines to print below the message of a failure; empty if its location is unknown. */
export async function formatFailureFrame(
  { locations: [location] }: Pick<InvocationFailure, 'locations'>,
  folder: string,
  bundle: Bundle | undefined,
  width: number,
): Promise<string> {
  if (!location) return '';
  const text = bundle?.sources.get(location.file) ?? readText(join(folder, location.file));
  if (text === undefined) return '';
  const { createFrameFormatter } = await import('../output/code-frame.ts');
  return `\n${createFrameFormatter(location.file, text, width)(location)}`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch {
    return undefined;
  }
}
