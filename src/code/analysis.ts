/** What a script does, as far as its syntax tree tells. */
import type { Program } from 'acorn';
import { withStepLimit } from './ast/steps.ts';
import { findStringLiterals, type StringLiteral } from './ast/string-literals.ts';
import { buildSyntaxTree } from './ast/walk.ts';
import { createModuleLookup } from './bundle/bundled-modules.ts';
import { analyzeRequestUsage, type RequestUsage } from './dataflow/request-usage.ts';
import { analyzeExport, type ExportAnalysis, type ModuleExport } from './exports/exports.ts';
import { findLocalFiles, type LocalFile } from './local-files.ts';
import { findMissingApis, type MissingApi } from './node16/missing-apis.ts';
import type { CodeError } from './parse/parsed-code.ts';
import { analyzeScopes } from './scope/scope-analysis.ts';

export interface Analysis {
  moduleExport: ModuleExport;
  /** What the exported function reads of its request; undefined where that cannot be told. */
  requestUsage: RequestUsage | undefined;
  /** What Node.js 16 lacks of what the script uses. */
  missingApis: readonly MissingApi[];
  /** Names that it sets on the global object. */
  globalsSet: readonly string[];
  /** The files next to the code that it loads or reads. */
  localFiles: readonly LocalFile[];
  /** The strings that are written out and long enough to hold a key. */
  stringLiterals: readonly StringLiteral[];
}

/** The analysis of code, or why it cannot be used. Neither is set for code that is too large, or valid but too deep. */
export interface CodeFacts {
  fault: CodeError | undefined;
  analysis: Analysis | undefined;
}

/** What each part of the analysis may take; code of people and bundlers takes one or two steps for a node. */
const STEPS_PER_NODE = 20;
const BASE_STEPS = 10_000;

const NOTHING = { missingApis: [], globalsSet: [] };

/**
 * Never throws; runs nothing. `text` is the script, whose comments tell the modules of a bundle, and `others` is what
 * belongs to the bundle too, and may call its functions.
 */
export function analyzeProgram(program: Program, text = '', others = ''): Analysis {
  const tree = buildSyntaxTree(program);
  const runBounded = <T>(work: () => T, fallback: T): T =>
    withStepLimit(BASE_STEPS + STEPS_PER_NODE * tree.nodes.length, work, fallback);
  const moduleAt = runBounded(() => createModuleLookup(text, tree), undefined);
  const isInPackage = (offset: number) => moduleAt?.(offset).packageName !== undefined;
  const scopes = runBounded(() => analyzeScopes(tree, isInPackage), undefined);
  const unknown: ExportAnalysis = { moduleExport: { kind: 'unknown' } };
  const { moduleExport, handler } = runBounded(() => (scopes ? analyzeExport(scopes) : unknown), unknown);
  return {
    moduleExport,
    requestUsage: runBounded(() => (scopes && handler ? analyzeRequestUsage(handler, scopes) : undefined), undefined),
    ...runBounded(() => (scopes && moduleAt ? findMissingApis(scopes, moduleAt, text, others) : NOTHING), NOTHING),
    localFiles: runBounded(() => (scopes ? findLocalFiles(scopes, handler) : []), []),
    stringLiterals: runBounded(() => findStringLiterals(tree), []),
  };
}
