/** Rules about the elements of configuration and request_parameters (spec 2.4 and 2.5). */
import type { Manifest } from '../folder/manifest.ts';
import { isObject } from '../text/json-type.ts';
import { formatJsonPath } from '../text/schema-errors.ts';
import { createManifestFinding, type Level, once, type Rule } from './rule.ts';

const TYPES = ['string', 'boolean', 'number'];

export type ElementList = (typeof LISTS)[number];

export interface ManifestElement {
  list: ElementList;
  index: number;
  name: unknown;
  type: unknown;
}

const LISTS = ['configuration', 'request_parameters'] as const;

const listElements = once(({ value: top }: Manifest): ManifestElement[] => {
  if (!isObject(top)) return [];
  return LISTS.flatMap((list) => {
    const elements = top[list];
    return (Array.isArray(elements) ? elements : []).flatMap((element: unknown, index) =>
      isObject(element) ? [{ list, index, name: element['name'], type: element['type'] }] : [],
    );
  });
});

/** The elements of both lists that are objects; the schema reports other values. */
export const getElements = (manifest: Manifest | undefined): readonly ManifestElement[] =>
  manifest ? listElements(manifest) : [];

/** Creates a check of single elements. */
function forElement(key: 'name' | 'type', describe: (element: ManifestElement) => string | undefined): Rule['check'] {
  return ({ manifest }) =>
    getElements(manifest).flatMap((element) => {
      const message = describe(element);
      return manifest && message ? [createFinding(manifest, element, key, message)] : [];
    });
}

function createFinding(manifest: Manifest, element: ManifestElement, key: string, message: string, level?: Level) {
  const path = [element.list, element.index, key];
  return createManifestFinding(manifest, path, `${formatJsonPath(path)} ${message}`, level && { level });
}

/** The rule about names that some services reject. */
const createPortableNameRule = (id: string, targetList: ElementList, what: string): Rule => ({
  id,
  level: 'note',
  description: `The name of a ${what} is one character, or contains characters other than letters, digits, \`.\`, \`-\`, and \`_\`, which some services refuse.`,
  check: forElement('name', ({ list, name }) => {
    if (list !== targetList || typeof name !== 'string' || name === '') return undefined;
    if (name.length === 1) return `is ${JSON.stringify(name)}; some services require more than one character`;
    return /^[A-Za-z0-9._-]+$/.test(name)
      ? undefined
      : `is ${JSON.stringify(name)}; some services allow only letters, digits, ".", "-", and "_"`;
  }),
});

export const elementRules: readonly Rule[] = [
  {
    id: 'element-type',
    level: 'error',
    description: 'The type of an element is not `string`, `boolean`, or `number`.',
    check: forElement('type', ({ type }) =>
      typeof type !== 'string' || TYPES.includes(type)
        ? undefined
        : `must be "string", "boolean", or "number" (got ${JSON.stringify(type)})`,
    ),
  },
  {
    id: 'configuration-name',
    level: 'error',
    description: 'The name of a setting is empty or contains a dot; settings cannot be nested (spec 2.4).',
    check: forElement('name', ({ list, name }) => {
      if (list !== 'configuration' || typeof name !== 'string') return undefined;
      if (name === '') return 'must not be empty';
      return name.includes('.')
        ? `must not contain a dot (got ${JSON.stringify(name)}): settings cannot be nested`
        : undefined;
    }),
  },
  {
    id: 'parameter-name',
    level: 'error',
    description: 'The name of a request parameter is empty or has an empty level, such as `a..b`.',
    check: forElement('name', ({ list, name }) => {
      if (list !== 'request_parameters' || typeof name !== 'string') return undefined;
      if (name === '') return 'must not be empty';
      return name.split('.').includes('')
        ? `must be of the form parent.child (got ${JSON.stringify(name)})`
        : undefined;
    }),
  },
  createPortableNameRule('parameter-name-portable', 'request_parameters', 'request parameter'),
  createPortableNameRule('configuration-name-portable', 'configuration', 'setting'),
  {
    id: 'element-duplicate',
    level: 'error',
    description: 'A list contains a duplicate name: an error if the types differ, otherwise a warning.',
    check: ({ manifest }) => {
      if (!manifest) return [];
      const first = new Map<string, ManifestElement>();
      return getElements(manifest).flatMap((element) => {
        const key = JSON.stringify([element.list, element.name]);
        const before = first.get(key);
        if (!before) first.set(key, element);
        if (!before || typeof element.name !== 'string') return [];
        const where = formatJsonPath([before.list, before.index]);
        const isSame = before.type === element.type;
        const message = `is ${JSON.stringify(element.name)}, as is ${where}${isSame ? '' : `, with another type (${before.type} there, ${element.type} here)`}`;
        return [createFinding(manifest, element, 'name', message, isSame ? 'warning' : 'error')];
      });
    },
  },
  {
    id: 'parameter-overlap',
    level: 'warning',
    description: 'A request parameter is also the parent of another.',
    check: ({ manifest }) => {
      if (!manifest) return [];
      const parameters = getElements(manifest).filter(
        ({ list, name }) => list === 'request_parameters' && typeof name === 'string',
      );
      // With a trailing dot, a name sorts directly before its children.
      const sorted = [...new Set(parameters.map(({ name }) => `${name}.`))].sort();
      const childOf = new Map(sorted.map((name, i) => [name, sorted[i + 1]]));
      return parameters.flatMap((parent) => {
        const child = childOf.get(`${parent.name}.`);
        const message =
          child?.startsWith(`${parent.name}.`) &&
          `is ${JSON.stringify(parent.name)} of type ${parent.type}, and also the parent of ${JSON.stringify(child.slice(0, -1))}; a value cannot be both`;
        return message ? [createFinding(manifest, parent, 'name', message)] : [];
      });
    },
  },
];
