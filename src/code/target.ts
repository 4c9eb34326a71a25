/** What a script uses that Node.js 16 lacks: judged by scope, and only where nothing in the code provides or guards it. */
import type { AnyNode } from 'acorn';
import lacks from './node16-lacks.json' with { type: 'json' };
import type { Scopes } from './scopes.ts';
import { isFree, isGlobalObject, type TargetFacts, targetFacts } from './target-facts.ts';
import { methodUses } from './target-methods.ts';
import { moduleMemberUses, moduleUses } from './target-modules.ts';
import { ifAllNeeded, isNeeded, type Use, wordsOf } from './target-use.ts';

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
    ...moduleUses(scopes, facts),
  ].sort((a, b) => a.node.start - b.node.start);
  const seen = new Set<string>();
  return uses.flatMap(({ kind, what, node: { start: at } }) => {
    if (seen.has(what)) return [];
    seen.add(what);
    return [{ kind, what, at }];
  });
}

/** Names of other places where code runs: what asks for them with typeof may mean a global of theirs. */
const ELSEWHERE = /^(window|document|Deno|Bun)$/;

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
    if (isAsked && ELSEWHERE.test(node.name)) return [];
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
