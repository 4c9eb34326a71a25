/** What a script does, as far as its syntax tree tells. */
import type { Program } from 'acorn';
import { withinSteps } from './ast/steps.ts';
import { type Text, textsOf } from './ast/string-literals.ts';
import { treeOf } from './ast/walk.ts';
import { type Usage, usageOf } from './dataflow/request-usage.ts';
import { type Exported, type ExportedValue, exportedValue } from './exports/exports.ts';
import { type LocalFile, localFilesIn } from './local-files.ts';
import { type Lacking, lackingOnNode16 } from './node16/missing-apis.ts';
import { scopesOf } from './scope/scope-analysis.ts';

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

/** What each part of the analysis may take; code of people and bundlers takes one or two steps for a node. */
const STEPS_PER_NODE = 20;
const BASE_STEPS = 10_000;

/** Never throws; runs nothing. `text` is the script, whose comments tell the modules of a bundle. */
export function analysisOf(program: Program, text = ''): Analysis {
  const tree = treeOf(program);
  const bounded = <T>(work: () => T, otherwise: T): T =>
    withinSteps(BASE_STEPS + STEPS_PER_NODE * tree.nodes.length, work, otherwise);
  const { exported, handler } = bounded((): ExportedValue => exportedValue(tree), { exported: { answer: 'unknown' } });
  const scopes = bounded(() => scopesOf(tree), undefined);
  return {
    exported,
    usage: bounded(() => (scopes && handler ? usageOf(handler, scopes) : undefined), undefined),
    lacking: bounded(() => (scopes ? lackingOnNode16(scopes, text) : []), []),
    localFiles: bounded(() => (scopes ? localFilesIn(scopes, handler) : []), []),
    texts: bounded(() => textsOf(tree), []),
  };
}
