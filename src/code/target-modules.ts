/** Modules of Node.js, and members of them, that Node.js 16 lacks. */
import type { AnyNode, Pattern } from 'acorn';
import { memberName, propertyName } from './names.ts';
import lacks from './node16-lacks.json' with { type: 'json' };
import { isStable, type Scopes } from './scopes.ts';
import type { TargetFacts } from './target-facts.ts';
import { ifAllNeeded, rowOf, type Use, wordsOf } from './target-use.ts';

/** `crypto.hash` where crypto is `require('crypto')`, and `const { hash } = require('crypto')`. */
export function moduleMemberUses(scopes: Scopes, { loads }: TargetFacts): Use[] {
  return loads.flatMap(({ node, name }) => {
    const missing = rowOf(lacks.members, name.replace(/^node:/, ''));
    if (missing.size === 0 || node.type !== 'CallExpression') return [];
    const parent = scopes.parentOf.get(node);
    const pattern = parent?.type === 'VariableDeclarator' ? parent.id : undefined;
    const uses =
      pattern?.type === 'ObjectPattern'
        ? takenOut(pattern, missing, scopes)
        : readOff(pattern ? readsIfStable(pattern, scopes) : [node], missing, scopes);
    return uses.map(([member, at]): Use => ({ kind: 'member', what: `require('${name}').${member}`, node: at }));
  });
}

/** The members of these names that a pattern takes out and the code needs. */
export function takenOut(pattern: Pattern, missing: ReadonlySet<string>, scopes: Scopes): [string, AnyNode][] {
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property): [string, AnyNode][] => {
    const member = property.type === 'Property' ? propertyName(property) : undefined;
    if (property.type !== 'Property' || member === undefined || !missing.has(member)) return [];
    return ifAllNeeded(readsIfStable(property.value, scopes), scopes).length > 0 ? [[member, property]] : [];
  });
}

/** The members of these names that are read off a value at any of its places. */
function readOff(places: readonly AnyNode[], missing: ReadonlySet<string>, scopes: Scopes): [string, AnyNode][] {
  const found = new Map<string, AnyNode[]>();
  for (const place of places) {
    const parent = scopes.parentOf.get(place);
    const name = parent?.type === 'MemberExpression' && parent.object === place ? memberName(parent) : undefined;
    if (!parent || name === undefined || !missing.has(name)) continue;
    const known = found.get(name);
    if (known) known.push(parent);
    else found.set(name, [parent]);
  }
  return [...found].flatMap(([name, nodes]) =>
    ifAllNeeded(nodes, scopes)
      .slice(0, 1)
      .map((node): [string, AnyNode] => [name, node]),
  );
}

function readsIfStable(pattern: Pattern, { variableOf }: Scopes): AnyNode[] {
  const variable = variableOf.get(pattern);
  return variable && isStable(variable) ? variable.reads : [];
}

/** `require('node:sqlite')`; without `node:` it may be a package. One that is tried for may be missing. */
export function moduleUses({ loads }: TargetFacts): Use[] {
  const missing = wordsOf(lacks.modules);
  return loads
    .filter(({ name }) => name.startsWith('node:') && missing.has(name.slice(5)))
    .map(({ node, name }): Use => ({ kind: 'module', what: name, node }));
}
