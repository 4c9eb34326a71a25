/** What a script uses that Node.js 16 lacks: judged by scope, and only where nothing in the code provides or guards it. */
import type { AnyNode } from 'acorn';
import { literalText } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { type BundledModule, scopesByModule } from '../bundle/bundled-modules.ts';
import { calledNames, failsAtLoad, isInCommonJs, loadsModules, mayRun } from '../load-time.ts';
import type { Scopes } from '../scope/scope-analysis.ts';
import { ifAllNeeded, isNeeded, rowOf, type Use, wordsOf } from './api-use.ts';
import { isFree, isGlobalObject, type TargetFacts, targetFacts } from './facts.ts';
import { isGuardedAt } from './guards.ts';
import { methodUses } from './methods.ts';
import lacks from './missing.json' with { type: 'json' };
import { moduleMemberUses, moduleUses, takenOut } from './modules.ts';

export interface Lacking extends Omit<Use, 'node'> {
  /** The offset of its place. */
  at: number;
  /** The bundled package that uses it. */
  packageName?: string;
  /** Whether the package cannot be loaded because of it. */
  failsAtLoad?: boolean;
  /** Whether it is in the bundle because it is used, and the package loads no other module, which might replace it. */
  isOnlyMeans?: boolean;
}

const GLOBALS = wordsOf(lacks.globals);
const STATICS = Object.entries(lacks.statics).flatMap(([owner, row]) =>
  [...wordsOf(row)].map((name): [string, string] => [owner, name]),
);

/**
 * The first use of each in a module, in order of the source. Guards count in the file, or the package, that they are in;
 * what sets a global counts for all of the formula's own files. `others` is text that may call its functions.
 */
export function lackingOnNode16(
  scopes: Scopes,
  moduleAt: (offset: number) => BundledModule,
  text: string,
  others: string,
): { lacking: Lacking[]; globalsSet: string[] } {
  const isWhole = moduleAt(0).name === '' && moduleAt(text.length).name === '';
  const parts = isWhole ? [{ module: moduleAt(0), scopes }] : scopesByModule(scopes, moduleAt);
  const unclear = new Set(scopes.unclear.map((offset) => moduleAt(offset).packageName));
  const judged = parts.map((part) => ({ ...part, facts: targetFacts(part.scopes) }));
  const called = calledNames(scopes, others);
  const set = new Set(
    judged.flatMap(({ module, facts }) =>
      [...facts.globalsSet].flatMap(([name, node]) =>
        module.packageName === undefined || mayRun(node, called, scopes) ? name : [],
      ),
    ),
  );
  const isOwnGuarded = judged.some(({ module, facts }) => module.packageName === undefined && facts.isGuarded);
  const lacking = judged
    .flatMap(({ module: { packageName }, scopes: own, facts }) => {
      if (packageName !== undefined && unclear.has(packageName)) return [];
      countSteps(set.size);
      const isGuarded = packageName === undefined ? isOwnGuarded : facts.isGuarded;
      const namedGlobals = new Set([...facts.namedGlobals, ...set]);
      return usesIn(own, { ...facts, isGuarded, namedGlobals }, packageName);
    })
    .sort((a, b) => a.at - b.at);
  return { lacking, globalsSet: [...set] };
}

function usesIn(scopes: Scopes, facts: TargetFacts, packageName: string | undefined): Lacking[] {
  const uses = [
    ...(facts.isGuarded ? [] : languageUses(scopes, facts)),
    // No polyfill adds to a module of Node.js.
    ...moduleMemberUses(scopes, facts),
    ...moduleUses(facts),
  ]
    .filter(({ node }) => !isGuardedAt(node, scopes))
    .sort((a, b) => a.node.start - b.node.start);
  const seen = new Set<string>();
  const isAlone = packageName !== undefined && !loadsModules(scopes, facts);
  return uses.flatMap(({ kind, what, node }): Lacking[] => {
    if (seen.has(what)) return [];
    seen.add(what);
    const found = { kind, what, at: node.start };
    if (packageName === undefined) return [found];
    const isOnlyMeans = isAlone && !isInCommonJs(node, scopes);
    return [{ ...found, packageName, failsAtLoad: failsAtLoad({ kind, what, node }, scopes), isOnlyMeans }];
  });
}

const languageUses = (scopes: Scopes, facts: TargetFacts): Use[] => [
  ...globalUses(scopes, facts),
  ...staticUses(scopes, facts),
  ...methodUses(scopes, facts),
  ...takenOutUses(scopes, facts),
  ...regExpUses(scopes),
  ...disposeUses(scopes, facts),
];

/** `fetch`, also as `globalThis.fetch(…)`; none of a name that the code sets, or asks for with typeof or in. */
function globalUses(scopes: Scopes, { members, namedGlobals }: TargetFacts): Use[] {
  const uses: Use[] = [];
  const guarded = new Set(namedGlobals);
  const add = (name: string, node: AnyNode, isGuard: boolean) => {
    if (isGuard) guarded.add(name);
    uses.push({ kind: 'global', what: name, node });
  };
  for (const { node, isWrite } of scopes.free) {
    const isAsked = scopes.parentOf.get(node)?.type === 'UnaryExpression';
    if (GLOBALS.has(node.name)) add(node.name, node, isWrite || isAsked);
  }
  for (const name of GLOBALS) {
    for (const member of members.get(name) ?? []) {
      if (isGlobalObject(member.object, scopes)) add(name, member.property, !isNeeded(member, scopes));
    }
  }
  return uses.filter(({ what }) => !guarded.has(what));
}

/** `Object.groupBy` */
function staticUses(scopes: Scopes, { members, named, keyed }: TargetFacts): Use[] {
  return STATICS.flatMap(([owner, name]) => {
    const isOwn = named.has(name) || keyed.has(name);
    const mentions = (isOwn ? [] : (members.get(name) ?? [])).filter(
      ({ object }) => object.type === 'Identifier' && object.name === owner && isFree(object, scopes),
    );
    return ifAllNeeded(mentions, scopes).map((node): Use => ({ kind: 'member', what: `${owner}.${name}`, node }));
  });
}

/** `const { fetch } = globalThis`, `const { groupBy } = Object` */
function takenOutUses(scopes: Scopes, { named, namedGlobals, keyed }: TargetFacts): Use[] {
  return scopes.nodesOf('VariableDeclarator').flatMap(({ id, init }) => {
    if (id.type !== 'ObjectPattern' || init?.type !== 'Identifier' || !isFree(init, scopes)) return [];
    const isGlobal = isGlobalObject(init, scopes);
    const missing = isGlobal ? GLOBALS : rowOf(lacks.statics, init.name);
    return takenOut(id, missing, scopes)
      .filter(([name]) => (isGlobal ? !namedGlobals.has(name) : !named.has(name) && !keyed.has(name)))
      .map(
        ([name, node]): Use => ({
          kind: isGlobal ? 'global' : 'member',
          what: isGlobal ? name : `${init.name}.${name}`,
          node,
        }),
      );
  });
}

/** `new RegExp(…, 'v')` */
function regExpUses(scopes: Scopes): Use[] {
  return [...scopes.nodesOf('NewExpression'), ...scopes.nodesOf('CallExpression')].flatMap((node): Use[] => {
    const { callee } = node;
    const flags = callee.type === 'Identifier' && callee.name === 'RegExp' ? node.arguments[1] : undefined;
    if (!flags || !isFree(callee, scopes) || !literalText(flags)?.includes('v')) return [];
    return [{ kind: 'flag', what: 'v', node }];
  });
}

/** `using` with `[Symbol.dispose]`, after a compiler: a mention of the symbol alone is only a key that is never asked for. */
function disposeUses(scopes: Scopes, { members, named }: TargetFacts): Use[] {
  const isCompiled = scopes
    .nodesOf('CallExpression')
    .some(({ callee }) => callee.type === 'Identifier' && /^__(using|addDisposableResource)$/.test(callee.name));
  return ['dispose', 'asyncDispose'].flatMap((name) => {
    const mentions = isCompiled && !named.has(name) ? (members.get(name) ?? []) : [];
    return mentions
      .filter(({ object }) => object.type === 'Identifier' && object.name === 'Symbol' && isFree(object, scopes))
      .slice(0, 1)
      .map((node): Use => ({ kind: 'member', what: `Symbol.${name}`, node }));
  });
}
