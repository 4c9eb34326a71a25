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

/** The element that a selector of the page's own HTML selects. */
export function find<T extends Element = HTMLElement>(selector: string, root: ParentNode = document): T {
  const found = root.querySelector<T>(selector);
  if (!found) throw new Error(`no ${selector}`);
  return found;
}

/** Runs work; while it is under way, the button stops it. */
export function createRun(button: HTMLElement, work: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const text = button.textContent;
  let running: AbortController | undefined;
  return async () => {
    if (running) return running.abort();
    running = new AbortController();
    button.textContent = 'Stop';
    await work(running.signal);
    running = undefined;
    button.textContent = text;
  };
}

/** An item of a list: a button with a mark, a name, and a state. */
export function createItem([kind, name, state]: readonly [string, string, string], title: string, onClick: () => void) {
  const button = createButton('', { title: visible(title) }, onClick);
  button.append(
    create('span', { class: `mark ${kind}`, 'aria-hidden': 'true' }),
    create('span', { class: 'name' }, visible(name)),
    create('span', { class: `state ${kind}` }, state),
  );
  return create('li', {}, button);
}

/** Replaces the items of a list; the focus stays at its button. */
export function replaceItems(list: HTMLElement, items: readonly HTMLElement[]): void {
  const focused = [...list.querySelectorAll('button')].indexOf(document.activeElement as HTMLButtonElement);
  list.replaceChildren(...items);
  list.querySelectorAll('button')[focused]?.focus();
}

let lastId = 0;

/** A unique id. */
export const createId = (): string => `e${++lastId}`;

/** Foreign text with its unsafe and invisible characters as escapes. */
export const visible = (text: string): string => escapeInvisiblePart(text, '\n\t');

/** Shows a text, and whether it is good news. */
export function showStatus(status: HTMLElement, text: string, isOk?: boolean): void {
  status.textContent = visible(text);
  status.dataset['ok'] = String(isOk);
}

const COPIED_MS = 1500;

/** A button that copies a text. */
export function createCopyButton(text: string, subject: string, read: () => string): HTMLButtonElement {
  const show = (state: string) => {
    button.textContent = state;
    setTimeout(() => button.replaceChildren(text), COPIED_MS);
  };
  const button = createButton(text, { class: 'small', 'aria-label': `${text} ${subject}`.trim() }, () =>
    navigator.clipboard.writeText(read()).then(
      () => show('Copied'),
      () => show('Not copied'),
    ),
  );
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
  return create('section', { class: 'block' }, head, pre, ...(shown === text ? [] : [createSaveNote(text, file)]));
}

function createDiffLine(line: string): Node | string {
  const [mark] = /^\s*(?:\+(?!\+\+ )|-(?!-- )|@@ )/.exec(line) ?? [];
  return mark === undefined ? visible(line) : create('span', { class: `diff${mark.trim()[0]}` }, visible(line));
}

function createSaveNote(text: string, file: string): HTMLElement {
  const link = create('a', { href: '#', download: file }, `Save ${file}`);
  link.addEventListener('click', () => {
    link.href = URL.createObjectURL(new Blob([text]));
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  });
  const size = `${(text.length / 1e6).toFixed(1)} million characters`;
  return create('p', { class: 'hint' }, `Only the start of ${size} is shown. `, link);
}
