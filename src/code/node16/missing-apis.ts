/** What a script uses that Node.js 16 lacks: judged by scope, and only where nothing in the code provides or guards it. */
import type { AnyNode } from 'acorn';
import { literalText, propertyName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { moduleFinder, scopesByModule } from '../bundle/bundled-modules.ts';
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
  /** The bundled package that uses it, and whether the package cannot be loaded because of it. */
  packageName?: string;
  failsAtLoad?: boolean;
}

const GLOBALS = wordsOf(lacks.globals);
const STATICS = Object.entries(lacks.statics).flatMap(([owner, row]) =>
  [...wordsOf(row)].map((name): [string, string] => [owner, name]),
);

/**
 * The first use of each in a module, in order of the source. Guards count in the file, or the package, that they are in;
 * what sets a global counts for all of the formula's own files.
 */
export function lackingOnNode16(scopes: Scopes, text = ''): Lacking[] {
  const moduleAt = moduleFinder(text, scopes);
  const isWhole = moduleAt(0).name === '' && moduleAt(text.length).name === '';
  const parts = isWhole ? [{ module: moduleAt(0), scopes }] : scopesByModule(scopes, moduleAt);
  const judged = parts.map((part) => ({ ...part, facts: targetFacts(part.scopes) }));
  const set = new Set(judged.flatMap(({ facts }) => [...facts.globalsSet]));
  const isOwnGuarded = judged.some(({ module, facts }) => module.packageName === undefined && facts.isGuarded);
  return judged
    .flatMap(({ module, scopes: own, facts }) => {
      if (module.packageName === undefined ? isOwnGuarded : facts.isGuarded) return [];
      countSteps(set.size);
      return usesIn(own, { ...facts, named: new Set([...facts.named, ...set]) }, module.packageName);
    })
    .sort((a, b) => a.at - b.at);
}

function usesIn(scopes: Scopes, facts: TargetFacts, packageName: string | undefined): Lacking[] {
  const uses = [
    ...globalUses(scopes, facts),
    ...staticUses(scopes, facts),
    ...methodUses(scopes, facts),
    ...moduleMemberUses(scopes, facts),
    ...moduleUses(facts),
    ...takenOutUses(scopes, facts),
    ...regExpUses(scopes),
  ]
    .filter(({ node }) => !isGuardedAt(node, scopes))
    .sort((a, b) => a.node.start - b.node.start);
  const seen = new Set<string>();
  return uses.flatMap(({ kind, what, node }) => {
    if (seen.has(what)) return [];
    seen.add(what);
    const found: Lacking = { kind, what, at: node.start };
    return [
      packageName === undefined ? found : { ...found, packageName, failsAtLoad: failsAtLoad(found, node, scopes) },
    ];
  });
}

/** A global that is read off the global object is undefined there, which may be no error. */
function failsAtLoad({ kind }: Lacking, node: AnyNode, scopes: Scopes): boolean {
  const parent = scopes.parentOf.get(node);
  const isName = node.type === 'Identifier' && !(parent?.type === 'MemberExpression' && parent.property === node);
  return (kind === 'module' || (kind === 'global' && isName)) && isAtLoad(node, scopes);
}

/** Whether a node runs when its module is loaded; the function that esbuild wraps a CommonJS module in runs then too. */
function isAtLoad(node: AnyNode, { parentOf }: Scopes): boolean {
  for (let at = parentOf.get(node); at; at = parentOf.get(at)) {
    if (!/Function/.test(at.type)) continue;
    const holder = parentOf.get(at);
    const key = holder?.type === 'Property' && holder.method ? propertyName(holder) : undefined;
    if (key === undefined || !/[/.]/.test(key)) return false;
  }
  return true;
}

/** `fetch`, also as `globalThis.fetch(…)`; none of a name that the code sets, or asks for with typeof or in. */
function globalUses(scopes: Scopes, { members, named }: TargetFacts): Use[] {
  const uses: Use[] = [];
  const guarded = new Set(named);
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
function takenOutUses(scopes: Scopes, { named, keyed }: TargetFacts): Use[] {
  return scopes.nodesOf('VariableDeclarator').flatMap(({ id, init }) => {
    if (id.type !== 'ObjectPattern' || init?.type !== 'Identifier' || !isFree(init, scopes)) return [];
    const isGlobal = isGlobalObject(init, scopes);
    const missing = isGlobal ? GLOBALS : rowOf(lacks.statics, init.name);
    return takenOut(id, missing, scopes)
      .filter(([name]) => !named.has(name) && (isGlobal || !keyed.has(name)))
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
