/** Finds APIs that Node.js 16 lacks, unless the code provides or guards them. */

import type { AnyNode } from 'acorn';
import { getLiteralText } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { type BundledModule, splitScopesByModule } from '../bundle/bundled-modules.ts';
import { findDefinition, isGlobal, isGlobalObject, isUndeclared, type Scopes } from '../scope/scope-analysis.ts';
import { gatherFacts, type Node16Facts } from './facts.ts';
import { type ApiUse, isGuarded, isNeeded, lookUpRow, parseWords, selectIfAllNeeded } from './guards.ts';
import { collectCalledNames, failsAtLoad, isInCommonJs, loadsModules, mayRun } from './load-time.ts';
import { findMethodUses, ITERATOR_HELPERS } from './methods.ts';
import missing from './missing.json' with { type: 'json' };
import { findDestructuredMembers, findModuleMemberUses, findModuleUses } from './modules.ts';

export interface MissingApi extends Omit<ApiUse, 'node'> {
  /** Its offset. */
  at: number;
  /** The bundled package that uses it; undefined for the formula's own files. */
  packageName?: string;
  /** Whether the package cannot be loaded because of it. */
  failsAtLoad?: boolean;
  /** Whether the package needs it: it loads no other module, and the code is not an unused part of it. */
  isOnlyMeans?: boolean;
}

const GLOBALS = parseWords(missing.globals);
const STATICS = Object.entries(missing.statics).flatMap(([owner, row]) =>
  [...parseWords(row)].map((name): [string, string] => [owner, name]),
);

/** All names of missing.json. */
const TABLE_NAMES: ReadonlySet<string> = new Set([
  ...GLOBALS,
  ...parseWords(`RegExp dispose asyncDispose ${missing.modules} ${missing.modules.replace(/\S+/g, 'node:$&')}`),
  ...[missing.statics, missing.prototypes, missing.accessors, missing.members, missing.classes].flatMap((part) =>
    Object.values(part).flatMap((row) => [...parseWords(row)]),
  ),
]);

/** Names by which code gets an iterator. */
const ITERATOR_SOURCES = parseWords('keys values entries matchAll');

/** The names in a script that may be those of missing APIs; hardly any script has one. */
function collectNames({ nodesOfType }: Scopes): ReadonlySet<string> {
  const names = new Set<string>();
  let mayIterate = [...nodesOfType('FunctionDeclaration'), ...nodesOfType('FunctionExpression')].some(
    ({ generator }) => generator,
  );
  const helpers = new Set<string>();
  const add = (name: string) => {
    if (TABLE_NAMES.has(name)) names.add(name);
    else if (ITERATOR_HELPERS.has(name)) helpers.add(name);
    else if (ITERATOR_SOURCES.has(name)) mayIterate = true;
  };
  for (const { name } of nodesOfType('Identifier')) add(name);
  for (const { value } of nodesOfType('Literal')) if (typeof value === 'string') add(value);
  for (const { value } of nodesOfType('TemplateElement')) if (value.cooked) add(value.cooked);
  return mayIterate ? new Set([...names, ...helpers]) : names;
}

/**
 * The first use of each API in a module, in source order. A guard applies to its file or package, and an assignment to a
 * global to all of the formula's own files. `others` is code that may call the functions of the script.
 */
export function findMissingApis(
  scopes: Scopes,
  moduleAt: (offset: number) => BundledModule,
  text: string,
  others: string,
): { missingApis: MissingApi[]; globalsSet: string[] } {
  const names = collectNames(scopes);
  if (names.size === 0) return { missingApis: [], globalsSet: [] };
  const isWhole = moduleAt(0).name === '' && moduleAt(text.length).name === '';
  const parts = isWhole ? [{ module: moduleAt(0), scopes }] : splitScopesByModule(scopes, moduleAt);
  const unclear = new Set(scopes.unclear.map((offset) => moduleAt(offset).packageName));
  const analyzed = parts.map((part) => ({ ...part, facts: gatherFacts(part.scopes, names) }));
  const setsGlobals = analyzed.some(({ facts }) => facts.assignedGlobals.size > 0);
  const called = setsGlobals ? collectCalledNames(scopes, others) : new Set<string>();
  const assignedGlobals = new Set(
    analyzed.flatMap(({ module, facts }) =>
      [...facts.assignedGlobals].flatMap(([name, node]) =>
        module.packageName === undefined || mayRun(node, called, scopes) ? name : [],
      ),
    ),
  );
  const isOwnCodePolyfilled = analyzed.some(
    ({ module, facts }) => module.packageName === undefined && facts.mayBePolyfilled,
  );
  const missingApis = analyzed
    .flatMap(({ module: { packageName }, scopes: own, facts }) => {
      if (packageName !== undefined && unclear.has(packageName)) return [];
      countSteps(assignedGlobals.size);
      const isGuarded = packageName === undefined ? isOwnCodePolyfilled : facts.mayBePolyfilled;
      const namedGlobals = new Set([...facts.namedGlobals, ...assignedGlobals]);
      return findUses(own, { ...facts, mayBePolyfilled: isGuarded, namedGlobals }, packageName);
    })
    .sort((a, b) => a.at - b.at);
  return { missingApis, globalsSet: [...assignedGlobals] };
}

function findUses(scopes: Scopes, facts: Node16Facts, packageName: string | undefined): MissingApi[] {
  const uses = [
    ...(facts.mayBePolyfilled ? [] : findLanguageUses(scopes, facts)),
    // Polyfills do not add to modules of Node.js.
    ...findModuleMemberUses(scopes, facts),
    ...findModuleUses(facts),
  ]
    .filter(({ node }) => !isGuarded(node, scopes))
    .sort((a, b) => a.node.start - b.node.start);
  const reported = new Set<string>();
  const isAlone = packageName !== undefined && !loadsModules(scopes, facts);
  return uses.flatMap(({ kind, what, node, isPassedOn = false }): MissingApi[] => {
    if (reported.has(what) || (isPassedOn && packageName === undefined)) return [];
    reported.add(what);
    const found = { kind, what, at: node.start };
    if (packageName === undefined) return [found];
    const isOnlyMeans = isAlone && !isInCommonJs(node, scopes);
    const fails = !isPassedOn && failsAtLoad({ kind, what, node }, scopes);
    return [{ ...found, packageName, failsAtLoad: fails, isOnlyMeans }];
  });
}

const findLanguageUses = (scopes: Scopes, facts: Node16Facts): ApiUse[] => [
  ...findGlobalUses(scopes, facts),
  ...findStaticUses(scopes, facts),
  ...findMethodUses(scopes, facts),
  ...findDestructuredUses(scopes, facts),
  ...findRegExpUses(scopes),
  ...findDisposeUses(scopes, facts),
];

/** `fetch`, also as `globalThis.fetch(…)`, unless the code sets the name, or tests for it with typeof or in. */
function findGlobalUses(scopes: Scopes, { members, namedGlobals }: Node16Facts): ApiUse[] {
  const uses: ApiUse[] = [];
  const guarded = new Set(namedGlobals);
  const add = (name: string, node: AnyNode, isGuard: boolean) => {
    if (isGuard) guarded.add(name);
    uses.push({ kind: 'global', what: name, node });
  };
  for (const { node, isWrite } of scopes.free) {
    const isTested = scopes.parentOf.get(node)?.type === 'UnaryExpression';
    if (GLOBALS.has(node.name)) add(node.name, node, isWrite || isTested);
  }
  for (const name of GLOBALS) {
    for (const member of members.get(name) ?? []) {
      if (isGlobalObject(member.object, scopes)) add(name, member.property, !isNeeded(member, scopes));
    }
  }
  return uses.filter(({ what }) => !guarded.has(what));
}

/** `Object.groupBy` */
function findStaticUses(scopes: Scopes, { members, mentionedNames, definedNames }: Node16Facts): ApiUse[] {
  return STATICS.flatMap(([owner, name]) => {
    const isOwn = mentionedNames.has(name) || definedNames.has(name);
    const mentions = (isOwn ? [] : (members.get(name) ?? [])).filter(({ object }) => isGlobal(object, owner, scopes));
    return selectIfAllNeeded(mentions, scopes).map(
      (node): ApiUse => ({ kind: 'member', what: `${owner}.${name}`, node }),
    );
  });
}

/** `const { fetch } = globalThis`, `const { groupBy } = Object` */
function findDestructuredUses(scopes: Scopes, { mentionedNames, namedGlobals, definedNames }: Node16Facts): ApiUse[] {
  return scopes.nodesOfType('VariableDeclarator').flatMap(({ id, init }) => {
    if (id.type !== 'ObjectPattern' || init?.type !== 'Identifier' || !isUndeclared(init, scopes)) return [];
    const isOfGlobal = isGlobalObject(init, scopes);
    const names = isOfGlobal ? GLOBALS : lookUpRow(missing.statics, init.name);
    return findDestructuredMembers(id, names, scopes)
      .filter(([name]) => (isOfGlobal ? !namedGlobals.has(name) : !mentionedNames.has(name) && !definedNames.has(name)))
      .map(
        ([name, node]): ApiUse => ({
          kind: isOfGlobal ? 'global' : 'member',
          what: isOfGlobal ? name : `${init.name}.${name}`,
          node,
        }),
      );
  });
}

/** `new RegExp(…, 'v')` */
function findRegExpUses(scopes: Scopes): ApiUse[] {
  return [...scopes.nodesOfType('NewExpression'), ...scopes.nodesOfType('CallExpression')].flatMap((node): ApiUse[] => {
    const { callee } = node;
    const flags = isGlobal(callee, 'RegExp', scopes) ? node.arguments[1] : undefined;
    if (!flags || !getLiteralText(findDefinition(flags, scopes) ?? flags)?.includes('v')) return [];
    return [{ kind: 'flag', what: 'v', node }];
  });
}

/** `using`, compiled: only its helpers read `Symbol.dispose`; elsewhere the symbol is a key that nothing reads. */
function findDisposeUses(scopes: Scopes, { members, mentionedNames }: Node16Facts): ApiUse[] {
  const isCompiled = scopes
    .nodesOfType('CallExpression')
    .some(({ callee }) => callee.type === 'Identifier' && /^__(using|addDisposableResource)$/.test(callee.name));
  return ['dispose', 'asyncDispose'].flatMap((name) => {
    const mentions = isCompiled && !mentionedNames.has(name) ? (members.get(name) ?? []) : [];
    return mentions
      .filter(({ object }) => isGlobal(object, 'Symbol', scopes))
      .slice(0, 1)
      .map((node): ApiUse => ({ kind: 'member', what: `Symbol.${name}`, node }));
  });
}
