/** A checked formula folder as something that can be run. */
import { join } from 'node:path';
import type { Bundle } from '../code/bundle/bundle.ts';
import { realPath } from '../files/paths.ts';
import type { FormulaBody } from '../model.ts';
import type { OwnCode } from './stack-frames.ts';

export interface Runnable {
  /** Where the folder really is, since Node.js names files so. */
  folder: string;
  /** Path under which the code is loaded; `require` starts from it. */
  file: string;
  code: string;
  contract: Pick<FormulaBody, 'configuration' | 'request_parameters'>;
  own: OwnCode;
}

/** Of a folder at `path`, what is needed to run the code that would be sent. */
export function runnableOf(path: string, body: FormulaBody, bundle: Bundle | undefined): Runnable {
  const folder = realPath(path);
  const file = join(folder, bundle?.file ?? 'code.js');
  return { folder, file, code: body.code, contract: body, own: { folder, file, originalPlace: bundle?.originalPlace } };
}
