/** A valid formula folder that can be run. */
import { join } from 'node:path';
import type { Bundle } from '../code/bundle/bundle.ts';
import { realPath } from '../files/paths.ts';
import type { Declarations, FormulaBody } from '../model.ts';
import type { OwnCode } from './stack-frames.ts';

export interface Executable {
  /** The real path of the folder, as in stack traces. */
  folder: string;
  /** The path of the code file. */
  file: string;
  code: string;
  declarations: Declarations;
  ownCode: OwnCode;
  /** The source map of a bundle, as JSON. */
  sourceMap?: (() => string) | undefined;
  /** The files of a bundle; undefined for code.js. */
  bundled?: ReadonlySet<string> | undefined;
}

export function toExecutable(path: string, body: FormulaBody, bundle: Bundle | undefined): Executable {
  const folder = realPath(path);
  const file = join(folder, bundle?.file ?? 'code.js');
  const ownCode: OwnCode = { folder, file, code: body.code, sourcePosition: bundle?.sourcePosition };
  return {
    folder,
    file,
    code: body.code,
    declarations: body,
    ownCode,
    bundled: bundle && new Set(bundle.sources.keys()),
    sourceMap: bundle && (() => bundle.sourceMap(folder)),
  };
}
