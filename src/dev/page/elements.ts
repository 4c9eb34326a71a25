/** Creates elements. Text is added as text nodes only, so foreign text is never parsed as HTML. */

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** An element with attributes (false and undefined: none) and children. */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  element.append(...children);
  return element;
}

let lastId = 0;

/** A unique id. */
export const createId = (): string => `e${++lastId}`;

/** Control and bidirectional characters, which could make text look like other text. */
const UNSAFE = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Foreign text with such characters as escapes. */
export const visible = (text: string): string =>
  text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Text of several lines under a heading, which the keyboard can scroll. */
export function createBlock(title: string, text: string): HTMLElement {
  const id = createId();
  return create(
    'section',
    { class: 'block' },
    create('h4', { id }, visible(title)),
    create('pre', { tabindex: '0', role: 'region', 'aria-labelledby': id }, visible(text)),
  );
}
