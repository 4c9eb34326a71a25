/** Finds syntax that the parser knows but Node.js 16 does not. */
import type { AnyNode, Program } from 'acorn';
import { walk } from '../ast/walk.ts';
import { extractGroups, listGroupNames } from '../parse/regex-groups.ts';
import missing from './missing.json' with { type: 'json' };

export interface NewerSyntax {
  what: string;
  /** Its offset. */
  at: number;
}

/** The first use of syntax that Node.js 16 lacks. (It knows the second argument of import().) */
export function findNewerSyntax(program: Program): NewerSyntax | undefined {
  for (const node of walk(program)) {
    const what = describeNewerSyntax(node);
    if (what) return { what, at: node.start };
  }
  return undefined;
}

function describeNewerSyntax(node: AnyNode): string | undefined {
  if (node.type === 'Literal' && node.regex) return describeNewerRegex(node.regex);
  if (node.type === 'VariableDeclaration' && /using/.test(node.kind)) return `a declaration with ${node.kind}`;
  return undefined;
}

const NEWER_UNICODE_SCRIPTS = new Set(missing.scripts.split(' '));

function describeNewerRegex({ pattern, flags }: { pattern: string; flags: string }): string | undefined {
  if (flags.includes('v')) return 'the regular expression flag v';
  const script = flags.includes('u') && [...pattern.matchAll(/\\[pP]\{(?:sc|scx|Script|Script_Extensions)=(\w+)\}/g)];
  const [, newest] = (script || []).find(([, name = '']) => NEWER_UNICODE_SCRIPTS.has(name)) ?? [];
  if (newest) return `the Unicode script ${newest} in a regular expression`;
  const groups = extractGroups(pattern);
  if (/\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):/.test(groups)) return 'a modifier in a regular expression';
  const names = listGroupNames(groups);
  if (new Set(names).size < names.length) return 'a duplicate group name in a regular expression';
  const isAstral = (name: string) => /[\ud800-\udfff]/.test(name) || /\\u(?:\{|d[89ab])/i.test(name);
  return !flags.includes('u') && names.some(isAstral)
    ? 'a group name outside the basic plane in a regular expression without the flag u'
    : undefined;
}
