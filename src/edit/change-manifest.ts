/** Sets or removes the value of a KEY in a manifest's text; all other bytes stay the same. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { detectLayout, formatLike, type Layout } from '../text/json-layout.ts';
import { isObject } from '../text/json-type.ts';
import type { JsonPath } from '../text/json-with-positions.ts';
import { type Node, parseTree } from '../text/jsonc.ts';
import { findSchema, KEY_ORDER } from './manifest-schema.ts';
import { formatKey, type KeyStep, type ParsedKey } from './parse-key.ts';

/** One change of the command line. */
export type Change = { kind: 'set'; key: ParsedKey; value: unknown } | { kind: 'unset'; key: ParsedKey };

/** The text after the change; why the KEY does not apply; or why it matches several elements (of the list at `path`). */
export type ChangeResult = { text: string } | { skipped: string } | { ambiguous: string; path: JsonPath };

/** Applies a change to a manifest: JSON without duplicate keys. */
export function changeManifest(text: string, change: Change): ChangeResult {
  const { steps } = change.key;
  let parent = parseTree(text);
  for (const [depth, step] of steps.entries()) {
    const found = findChildren(parent, step);
    const path = steps.slice(0, depth);
    if (found.length > 1) {
      const message = `${formatKey(path)} has several elements with the name ${JSON.stringify(getStepName(step))}`;
      return { ambiguous: message, path: path.map((one) => (one.kind === 'index' ? one.index : getStepName(one))) };
    }
    const [child] = found;
    if (depth < steps.length - 1) {
      if (!child) return skip(steps.slice(0, depth + 1));
      parent = getValueNode(child);
    } else if (parent && child) return { text: changeChild(text, parent, child, step, change) };
    else if (parent && change.kind === 'set') return addChild(text, parent, steps, change.value) ?? skip(steps);
  }
  return skip(steps);
}

const skip = (steps: readonly KeyStep[]) => ({ skipped: `does not have ${formatKey(steps)}` });

const getStepName = (step: KeyStep): string => (step.kind === 'key' ? step.key : step.kind === 'name' ? step.name : '');

/** The properties or elements of a node that a step names; more than one for elements of one name. */
function findChildren({ type, children = [] }: Node = { type: 'null', offset: 0, length: 0 }, step: KeyStep): Node[] {
  if (type === 'object' && step.kind !== 'index')
    return children.filter(({ children: [key] = [] }) => key?.value === getStepName(step));
  if (type !== 'array' || step.kind === 'key') return [];
  if (step.kind === 'index') return children.slice(step.index, step.index + 1);
  return children.filter((element) => getElementName(element) === step.name);
}

const getValueNode = (child: Node): Node | undefined => (child.type === 'property' ? child.children?.[1] : child);

function getElementName(element: Node): unknown {
  const name = element.type === 'object' ? findChildren(element, { kind: 'key', key: 'name' })[0] : undefined;
  return name?.children?.[1]?.value;
}

function changeChild(text: string, parent: Node, child: Node, step: KeyStep, change: Change): string {
  if (change.kind === 'unset') return removeChild(text, parent, child);
  const node = getValueNode(child) as Node;
  const old = text.slice(node.offset, getEnd(node));
  const value = step.kind === 'name' && parent.type === 'array' ? withName(change.value, step.name) : change.value;
  return isDeepStrictEqual(JSON.parse(old), value) ? text : replaceNode(text, node, value);
}

/** An element without a name gets the one in the KEY. */
const withName = (value: unknown, name: string): unknown => (isObject(value) ? { name, ...value } : value);

/** Removes a child with the separator before it, or after it if it is the first; of an only child, also the whitespace. */
function removeChild(text: string, { offset, length, children = [] }: Node, child: Node): string {
  const i = children.indexOf(child);
  const [before, after] = [children[i - 1], children[i + 1]];
  if (before) return splice(text, getEnd(before), getEnd(child), '');
  return after ? splice(text, child.offset, after.offset, '') : splice(text, offset + 1, offset + length - 1, '');
}

/** Adds a key that the schema has, or an element that has a type; undefined for anything else. */
function addChild(text: string, parent: Node, steps: readonly KeyStep[], value: unknown): { text: string } | undefined {
  const step = steps.at(-1) as KeyStep;
  const name = getStepName(step);
  if (parent.type === 'object' && step.kind !== 'index' && findSchema(steps))
    return { text: addProperty(text, parent, name, value) };
  if (parent.type !== 'array' || step.kind !== 'name' || !isObject(value) || !Object.hasOwn(value, 'type')) return;
  const element = withName(value, name);
  const last = parent.children?.at(-1);
  if (!last) return { text: replaceNode(text, parent, [element]) };
  return { text: insertNextTo(text, parent, last, 'after', (layout, like) => formatLike(element, layout, like)) };
}

/** Adds a key where the order of keys puts it, with the separators of the others. */
function addProperty(text: string, parent: Node, key: string, value: unknown): string {
  const properties = parent.children ?? [];
  const rank = (name: unknown) =>
    KEY_ORDER.includes(String(name)) ? KEY_ORDER.indexOf(String(name)) : KEY_ORDER.length;
  const before = properties.findLast(({ children: [name] = [] }) => rank(name?.value) < rank(key));
  const anchor = before ?? properties[0];
  // An assignment to `__proto__` would change the prototype.
  if (!anchor) return replaceNode(text, parent, Object.fromEntries([[key, value]]));
  const [name, sibling] = anchor.children as [Node, Node];
  const colon = text.slice(getEnd(name), sibling.offset);
  return insertNextTo(text, parent, anchor, before ? 'after' : 'before', (layout) => {
    const formatted = formatLike(value, layout, text.slice(sibling.offset, getEnd(sibling)));
    return `${JSON.stringify(key)}${/[\r\n]/.test(colon) ? ': ' : colon}${formatted}`;
  });
}

function insertNextTo(
  text: string,
  parent: Node,
  anchor: Node,
  side: 'before' | 'after',
  format: (layout: Layout, like: string) => string,
): string {
  const content = format(detectLayout(text, anchor.offset), text.slice(anchor.offset, getEnd(anchor)));
  const separator = findSeparator(text, parent, anchor);
  return side === 'before'
    ? splice(text, anchor.offset, anchor.offset, content + separator)
    : splice(text, getEnd(anchor), getEnd(anchor), separator + content);
}

/** The bytes between a child and its neighbor; for an only child, a comma and the bytes before it. */
function findSeparator(text: string, { offset, children = [] }: Node, child: Node): string {
  const i = children.indexOf(child);
  const [before, after] = [children[i - 1], children[i + 1]];
  if (after) return text.slice(getEnd(child), after.offset);
  return before ? text.slice(getEnd(before), child.offset) : `,${text.slice(offset + 1, child.offset)}`;
}

const replaceNode = (text: string, node: Node, value: unknown): string =>
  splice(
    text,
    node.offset,
    getEnd(node),
    formatLike(value, detectLayout(text, node.offset), text.slice(node.offset, getEnd(node))),
  );

const getEnd = ({ offset, length }: Node): number => offset + length;

const splice = (text: string, from: number, to: number, content: string): string =>
  text.slice(0, from) + content + text.slice(to);
