/** What a script does, as far as its syntax tree tells. */
import type { Program } from 'acorn';
import { withinSteps } from './ast/steps.ts';
import { type Text, textsOf } from './ast/string-literals.ts';
import { treeOf } from './ast/walk.ts';
import { moduleFinder } from './bundle/bundled-modules.ts';
import { type Usage, usageOf } from './dataflow/request-usage.ts';
import { type Exported, type ExportedValue, exportedValue } from './exports/exports.ts';
import { type LocalFile, localFilesIn } from './local-files.ts';
import { type Lacking, lackingOnNode16 } from './node16/missing-apis.ts';
import type { CodeFault } from './parse/parsed-code.ts';
import { scopesOf } from './scope/scope-analysis.ts';

export interface Analysis {
  exported: Exported;
  /** What the exported function reads of its request; undefined where that cannot be told. */
  usage: Usage | undefined;
  /** What Node.js 16 lacks of what the script uses. */
  lacking: readonly Lacking[];
  /** Names that it sets on the global object. */
  globalsSet: readonly string[];
  /** The files next to the code that it loads or reads. */
  localFiles: readonly LocalFile[];
  /** The strings that are written out and long enough to hold a key. */
  texts: readonly Text[];
}

/** The analysis of code, or why it cannot be used. Neither is set for code that is too large, or valid but too deep. */
export interface CodeFacts {
  fault: CodeFault | undefined;
  analysis: Analysis | undefined;
}

/** What each part of the analysis may take; code of people and bundlers takes one or two steps for a node. */
const STEPS_PER_NODE = 20;
const BASE_STEPS = 10_000;

const NOTHING = { lacking: [], globalsSet: [] };

/**
 * Never throws; runs nothing. `text` is the script, whose comments tell the modules of a bundle, and `others` is what
 * belongs to the bundle too, and may call its functions.
 */
export function analysisOf(program: Program, text = '', others = ''): Analysis {
  const tree = treeOf(program);
  const bounded = <T>(work: () => T, otherwise: T): T =>
    withinSteps(BASE_STEPS + STEPS_PER_NODE * tree.nodes.length, work, otherwise);
  const { exported, handler } = bounded((): ExportedValue => exportedValue(tree), { exported: { answer: 'unknown' } });
  const moduleAt = bounded(() => moduleFinder(text, tree), undefined);
  const isInPackage = (offset: number) => moduleAt?.(offset).packageName !== undefined;
  const scopes = bounded(() => scopesOf(tree, isInPackage), undefined);
  return {
    exported,
    usage: bounded(() => (scopes && handler ? usageOf(handler, scopes) : undefined), undefined),
    ...bounded(() => (scopes && moduleAt ? lackingOnNode16(scopes, moduleAt, text, others) : NOTHING), NOTHING),
    localFiles: bounded(() => (scopes ? localFilesIn(scopes, handler) : []), []),
    texts: bounded(() => textsOf(tree), []),
  };
}
