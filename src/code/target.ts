/** What a script uses that Node.js 16 lacks: judged by scope, and only where nothing in the code provides or guards it. */
import type { AnyNode } from 'acorn';
import { literalText } from './names.ts';
import lacks from './node16-lacks.json' with { type: 'json' };
import type { Scopes } from './scopes.ts';
import { isFree, isGlobalObject, type TargetFacts, targetFacts } from './target-facts.ts';
import { isGuardedAt } from './target-guards.ts';
import { methodUses } from './target-methods.ts';
import { moduleMemberUses, moduleUses, takenOut } from './target-modules.ts';
import { ifAllNeeded, isNeeded, rowOf, type Use, wordsOf } from './target-use.ts';

export interface Lacking extends Omit<Use, 'node'> {
  /** The offset of its place. */
  at: number;
}

const GLOBALS = wordsOf(lacks.globals);
const STATICS = Object.entries(lacks.statics).flatMap(([owner, row]) =>
  [...wordsOf(row)].map((name): [string, string] => [owner, name]),
);

/** The first use of each, in order of the source. */
export function lackingOnNode16(scopes: Scopes): Lacking[] {
  const facts = targetFacts(scopes);
  if (facts.isGuarded) return [];
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
  return uses.flatMap(({ kind, what, node: { start: at } }) => {
    if (seen.has(what)) return [];
    seen.add(what);
    return [{ kind, what, at }];
  });
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
