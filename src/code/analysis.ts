/** Analyzes the syntax tree of a script. */
import type { Program } from 'acorn';
import { withStepLimit } from './ast/steps.ts';
import { findStringLiterals } from './ast/string-literals.ts';
import { buildSyntaxTree } from './ast/walk.ts';
import { createModuleLookup } from './bundle/bundled-modules.ts';
import { analyzeRequestUsage } from './dataflow/request-usage.ts';
import { analyzeExport, UNKNOWN } from './exports/exports.ts';
import { findLocalFiles } from './local-files.ts';
import { findMissingApis } from './node16/missing-apis.ts';
import type { CodeError } from './parse/parsed-code.ts';
import { analyzeScopes } from './scope/scope-analysis.ts';

/** The analysis or the error of code. Neither is set if the code is too large, or valid but nested too deep. */
export interface CodeFacts {
  error: CodeError | undefined;
  analysis: ReturnType<typeof analyzeProgram> | undefined;
}

/** Step limit of each part of the analysis; normal code takes one or two steps per node. */
const STEPS_PER_NODE = 20;
const BASE_STEPS = 10_000;

/**
 * Never throws; runs nothing. `text` is the script, whose comments name the modules of a bundle; `others` is further code
 * of the bundle that may call its functions.
 */
export function analyzeProgram(program: Program, text = '', others = '') {
  const tree = buildSyntaxTree(program);
  const runBounded = <T>(work: () => T, fallback: T): T =>
    withStepLimit(BASE_STEPS + STEPS_PER_NODE * tree.nodes.length, work, fallback);
  const moduleAt = runBounded(() => createModuleLookup(text, tree), undefined);
  const isInPackage = (offset: number) => moduleAt?.(offset).packageName !== undefined;
  const scopes = runBounded(() => analyzeScopes(tree, isInPackage), undefined);
  const { moduleExport, handler } = runBounded(() => (scopes ? analyzeExport(scopes) : UNKNOWN), UNKNOWN);
  const apis = runBounded(() => scopes && moduleAt && findMissingApis(scopes, moduleAt, text, others), undefined);
  return {
    moduleExport,
    /** The request properties that the exported function reads; undefined if unknown. */
    requestUsage: runBounded(() => (scopes && handler ? analyzeRequestUsage(handler, scopes) : undefined), undefined),
    /** The APIs that the script uses and Node.js 16 lacks. */
    missingApis: apis?.missingApis ?? [],
    /** Names that the script sets on the global object. */
    globalsSet: apis?.globalsSet ?? [],
    /** The files next to the code that the script loads or reads. */
    localFiles: runBounded(() => (scopes ? findLocalFiles(scopes, handler) : []), []),
    /** The string literals that are long enough for a key. */
    stringLiterals: runBounded(() => findStringLiterals(tree), []),
  };
}
