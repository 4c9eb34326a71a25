/** Analyzes the syntax tree of a script. */
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
  /** The request properties that the exported function reads; undefined if unknown. */
  requestUsage: RequestUsage | undefined;
  /** The APIs that the script uses and Node.js 16 lacks. */
  missingApis: readonly MissingApi[];
  /** Names that the script sets on the global object. */
  globalsSet: readonly string[];
  /** The files next to the code that the script loads or reads. */
  localFiles: readonly LocalFile[];
  /** The string literals that are long enough for a key. */
  stringLiterals: readonly StringLiteral[];
}

/** The analysis or the error of code. Neither is set if the code is too large, or valid but nested too deep. */
export interface CodeFacts {
  error: CodeError | undefined;
  analysis: Analysis | undefined;
}

/** Step limit of each part of the analysis; normal code takes one or two steps per node. */
const STEPS_PER_NODE = 20;
const BASE_STEPS = 10_000;

const NOTHING = { missingApis: [], globalsSet: [] };

/**
 * Never throws; runs nothing. `text` is the script, whose comments name the modules of a bundle; `others` is further code
 * of the bundle that may call its functions.
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
