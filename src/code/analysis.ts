/** What a script does, as far as its syntax tree tells. */
import type { Program } from 'acorn';
import { type Exported, exportedValue } from './exports.ts';
import { type LocalFile, localFilesIn } from './local-files.ts';
import { scopesOf } from './scopes.ts';
import { type Text, textsOf } from './strings.ts';
import { type Lacking, lackingOnNode16 } from './target.ts';
import { type Usage, usageOf } from './usage.ts';
import { treeOf } from './walk.ts';

export interface Analysis {
  exported: Exported;
  /** What the exported function reads of its request; undefined where that cannot be told. */
  usage: Usage | undefined;
  /** What Node.js 16 lacks of what the script uses. */
  lacking: readonly Lacking[];
  /** The files next to the code that it loads or reads. */
  localFiles: readonly LocalFile[];
  /** The strings that are written out and long enough to hold a key. */
  texts: readonly Text[];
}

/** Never throws; runs nothing. `text` is the script, whose comments tell the modules of a bundle. */
export function analysisOf(program: Program, text = ''): Analysis {
  const tree = treeOf(program);
  const { exported, handler } = exportedValue(tree);
  const scopes = scopesOf(tree);
  return {
    exported,
    usage: scopes && handler ? usageOf(handler, scopes) : undefined,
    lacking: scopes ? lackingOnNode16(scopes, text) : [],
    localFiles: scopes ? localFilesIn(scopes, handler) : [],
    texts: textsOf(tree),
  };
}
