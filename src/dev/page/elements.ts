/** Creates elements. Text is added as text nodes only, so foreign text is never parsed as HTML. */
import { escapeInvisiblePart } from '../../output/escape.ts';

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

export function createButton(text: string, attributes: Attributes, onClick: () => void): HTMLButtonElement {
  const button = create('button', { type: 'button', ...attributes }, text);
  button.addEventListener('click', onClick);
  return button;
}

let lastId = 0;

/** A unique id. */
export const createId = (): string => `e${++lastId}`;

/** Foreign text with its unsafe and invisible characters as escapes. */
export const visible = (text: string): string => escapeInvisiblePart(text, '\n\t');

const COPIED_MS = 1500;

/** A button that copies a text. */
export function createCopyButton(text: string, subject: string, read: () => string): HTMLButtonElement {
  const button = createButton(text, { class: 'small', 'aria-label': `${text} ${subject}`.trim() }, async () => {
    const isCopied = await navigator.clipboard.writeText(read()).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? 'Copied' : 'Not copied';
    setTimeout(() => {
      button.textContent = text;
    }, COPIED_MS);
  });
  return button;
}

/** Longer texts make the page slow. */
const MAX_SHOWN = 100_000;

/** Text of several lines under a heading, which the keyboard can scroll; a long text is cut, with a link to save it. */
export function createBlock(title: string, text: string, { file = 'output.txt', isDiff = false } = {}): HTMLElement {
  const id = createId();
  const head = create('div', { class: 'head' }, create('h4', { id }, visible(title)));
  head.append(createCopyButton('Copy', title, () => text));
  const shown = text.slice(0, MAX_SHOWN);
  const lines = isDiff ? (shown.match(/.+\n?|\n/g) ?? []).map(createDiffLine) : [visible(shown)];
  const pre = create('pre', { tabindex: '0', role: 'region', 'aria-labelledby': id }, ...lines);
  const block = create('section', { class: 'block' }, head, pre);
  if (text.length > MAX_SHOWN) block.append(createSaveNote(text, file));
  return block;
}

function createDiffLine(line: string): Node | string {
  const [mark] = /^\s*(?:\+(?!\+\+ )|-(?!-- )|@@ )/.exec(line) ?? [];
  return mark === undefined ? visible(line) : create('span', { class: `diff${mark.trim()[0]}` }, visible(line));
}

function createSaveNote(text: string, file: string): HTMLElement {
  const link = create('a', { href: '#', download: file }, `Save ${file}`);
  link.addEventListener('click', () => {
    const url = URL.createObjectURL(new Blob([text]));
    link.href = url;
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });
  const size = `${(text.length / 1e6).toFixed(1)} million characters`;
  return create('p', { class: 'hint' }, `Only the start of ${size} is shown. `, link);
}
