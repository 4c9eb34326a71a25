/** Rules about the elements of configuration and request_parameters (spec 2.4 and 2.5). */
import { type Manifest, pathText } from '../folder/manifest.ts';
import { MAX_ELEMENTS } from '../folder/manifest-violations.ts';
import type { Level, Problem, Rule } from './rule.ts';

const FILE = 'manifest.json';
const TYPES = ['string', 'boolean', 'number'];

export type List = 'configuration' | 'request_parameters';

export interface Element {
  list: List;
  index: number;
  name: unknown;
  type: unknown;
}

/** The elements that are objects, of both lists, in file order of each; whatever else stands there is the schema's business. */
export function elementsOf(manifest: Manifest | undefined): readonly Element[] {
  if (!manifest) return [];
  const elements = known.get(manifest) ?? elementsIn(manifest.value);
  known.set(manifest, elements);
  return elements;
}

/** Many rules ask for them. */
const known = new WeakMap<Manifest, readonly Element[]>();

function elementsIn(top: unknown): Element[] {
  if (typeof top !== 'object' || top === null) return [];
  return (['configuration', 'request_parameters'] as const).flatMap((list) => {
    const elements: unknown = (top as Record<string, unknown>)[list];
    if (!Array.isArray(elements)) return [];
    return elements
      .slice(0, MAX_ELEMENTS)
      .flatMap((element: unknown, index) =>
        typeof element === 'object' && element !== null && !Array.isArray(element)
          ? [{ list, index, name: (element as Partial<Element>).name, type: (element as Partial<Element>).type }]
          : [],
      );
  });
}

/** A rule that looks at one element at a time. */
function aboutElement(key: 'name' | 'type', say: (element: Element) => string | undefined): Rule['check'] {
  return ({ manifest }) =>
    elementsOf(manifest).flatMap((element) => {
      const message = say(element);
      return manifest && message ? [problem(manifest, element, key, message)] : [];
    });
}

function problem(manifest: Manifest, { list, index }: Element, key: string, message: string, level?: Level): Problem {
  const path = [list, index, key];
  return {
    file: FILE,
    position: manifest.locate(path),
    message: `${pathText(path)} ${message}`,
    ...(level && { level }),
  };
}

const elementType: Rule = {
  id: 'element-type',
  level: 'error',
  about: 'The type of an element is not `string`, `boolean` or `number`.',
  check: aboutElement('type', ({ type }) =>
    typeof type !== 'string' || TYPES.includes(type)
      ? undefined
      : `is ${JSON.stringify(type)}; wanted is "string", "boolean" or "number"`,
  ),
};

const configurationName: Rule = {
  id: 'configuration-name',
  level: 'error',
  about: 'The name of a setting is empty or has a dot: settings are not nested (spec 2.4).',
  check: aboutElement('name', ({ list, name }) => {
    if (list !== 'configuration' || typeof name !== 'string') return undefined;
    if (name === '') return 'is empty; wanted is the name of the setting';
    return name.includes('.')
      ? `is ${JSON.stringify(name)}; nested names are not supported in configuration, write it without a dot`
      : undefined;
  }),
};

const parameterName: Rule = {
  id: 'parameter-name',
  level: 'error',
  about: 'The name of a request parameter is empty or has an empty level, as in `a..b`.',
  check: aboutElement('name', ({ list, name }) => {
    if (list !== 'request_parameters' || typeof name !== 'string') return undefined;
    if (name === '') return 'is empty; wanted is the name of the parameter';
    return name.split('.').includes('')
      ? `is ${JSON.stringify(name)}, which has an empty level; wanted is parent.child`
      : undefined;
  }),
};

/** The rule about names of one list that some services refuse. */
const portableName = (id: string, of: List, what: string): Rule => ({
  id,
  level: 'note',
  about: `The name of a ${what} is one character, or contains characters other than letters, digits, \`.\`, \`-\`, and \`_\`, which some services refuse.`,
  check: aboutElement('name', ({ list, name }) => {
    if (list !== of || typeof name !== 'string' || name === '') return undefined;
    if (name.length === 1) return `is ${JSON.stringify(name)}; some services require more than one character`;
    return /^[A-Za-z0-9._-]+$/.test(name)
      ? undefined
      : `is ${JSON.stringify(name)}; some services allow only letters, digits, ".", "-", and "_"`;
  }),
});

const elementDuplicate: Rule = {
  id: 'element-duplicate',
  level: 'error',
  about: 'A name stands twice in one list: an error when the types differ, else a warning.',
  check: ({ manifest }) => {
    if (!manifest) return [];
    const first = new Map<string, Element>();
    return elementsOf(manifest).flatMap((element) => {
      const key = JSON.stringify([element.list, element.name]);
      const before = first.get(key);
      if (!before) first.set(key, element);
      if (!before || typeof element.name !== 'string') return [];
      const where = pathText([before.list, before.index]);
      const isSame = before.type === element.type;
      const message = `is ${JSON.stringify(element.name)}, as is ${where}${isSame ? '' : `, with another type (${before.type} there, ${element.type} here)`}`;
      return [problem(manifest, element, 'name', message, isSame ? 'warning' : 'error')];
    });
  },
};

const parameterOverlap: Rule = {
  id: 'parameter-overlap',
  level: 'warning',
  about: 'A request parameter is also the parent of another.',
  check: ({ manifest }) => {
    if (!manifest) return [];
    const parameters = elementsOf(manifest).filter(
      ({ list, name }) => list === 'request_parameters' && typeof name === 'string',
    );
    // With a dot at the end, a name sorts right before those that it is the parent of.
    const sorted = [...new Set(parameters.map(({ name }) => `${name}.`))].sort();
    const childOf = new Map(sorted.map((name, i) => [name, sorted[i + 1]]));
    return parameters.flatMap((parent) => {
      const child = childOf.get(`${parent.name}.`);
      const message =
        child?.startsWith(`${parent.name}.`) &&
        `is ${JSON.stringify(parent.name)} of type ${parent.type}, and also the parent of ${JSON.stringify(child.slice(0, -1))}; both cannot hold`;
      return message ? [problem(manifest, parent, 'name', message)] : [];
    });
  },
};

export const elementRules: readonly Rule[] = [
  elementType,
  configurationName,
  parameterName,
  portableName('parameter-name-portable', 'request_parameters', 'request parameter'),
  portableName('configuration-name-portable', 'configuration', 'setting'),
  elementDuplicate,
  parameterOverlap,
];
