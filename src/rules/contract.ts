/** Rules that hold what the code reads of its request against what the manifest declares (spec 2.4 and 2.5). */

import type { Read, RequestPath, Usage } from '../code/dataflow/request-usage.ts';
import { pathText } from '../folder/manifest.ts';
import { isClose } from '../text/did-you-mean.ts';
import { placeInCode } from '../text/source-position.ts';
import { type Element, elementsOf, type List } from './elements.ts';
import type { Problem, Rule, Subject } from './rule.ts';

/** A formula of which both sides are known: the reads of the code, and a declared list. */
interface Contract {
  file: string;
  text: string;
  usage: Usage;
  /** The declared elements of one list, with the levels of their names. */
  declared: readonly (Element & { levels: readonly string[] })[];
}

function contractOf({ manifest, code }: Subject, list: List): Contract | undefined {
  const usage = code?.facts.analysis?.usage;
  const value = manifest?.value as Partial<Record<List, unknown>> | null | undefined;
  if (!code || !usage || !Array.isArray(value?.[list])) return undefined;
  const declared = elementsOf(manifest)
    .filter((element) => element.list === list && typeof element.name === 'string')
    .map((element) => ({ ...element, levels: String(element.name).split('.') }));
  return { file: code.file, text: code.text, usage, declared };
}

/** No read goes deeper. */
const MAX_LEVELS = 17;

/** A path and all that lead to it, as keys of a set: `a`, `a.b`, `a.b.c`. */
function pathsTo(path: RequestPath): string[] {
  const keys: string[] = [];
  for (const step of path.slice(0, MAX_LEVELS)) keys.push(keys.length === 0 ? step : `${keys.at(-1)}\0${step}`);
  return keys;
}

const keyOf = (path: RequestPath) => path.join('\0');

/** Every object has these, whatever is declared. */
const isInherited = (name: string) => name in Object.prototype;

/** The certain reads below one key of the request that no declaration covers, by the name that one would have. */
function undeclared({ usage, declared }: Contract, top: 'args' | 'configuration'): Map<string, Read> {
  const names = new Set(declared.map(({ levels }) => keyOf(levels)));
  const parents = new Set(declared.flatMap(({ levels }) => pathsTo(levels)));
  const written = new Set(usage.writes.map(keyOf));
  const found = new Map<string, Read>();
  for (const read of [...usage.reads].sort((a, b) => a.at - b.at)) {
    const [first, ...path] = read.path;
    if (first !== top || path.length === 0 || !read.isCertain || path.some(isInherited)) continue;
    const keys = pathsTo(path);
    const isDeclared = parents.has(keyOf(path)) || keys.some((key) => names.has(key));
    if (isDeclared || pathsTo(read.path).some((key) => written.has(key))) continue;
    // As many levels as it takes to leave all that is declared.
    const name = path.slice(0, keys.findIndex((key) => !parents.has(key)) + 1).join('.');
    if (!found.has(name)) found.set(name, read);
  }
  return found;
}

/** So many names that are not declared are compared with so many that are. */
const MAX_UNDECLARED = 100;
const MAX_MEANT = 500;
/** Shorter names are close to each other by chance. */
const MIN_MEANT = 3;

const configurationUndeclared: Rule = {
  id: 'configuration-undeclared',
  level: 'warning',
  about: 'The code reads `configuration.X`, and X is not declared.',
  check: (subject) => {
    const contract = contractOf(subject, 'configuration');
    if (!contract) return [];
    return [...undeclared(contract, 'configuration')].map(([name, read], i): Problem => {
      const compared = i < MAX_UNDECLARED ? contract.declared.slice(0, MAX_MEANT) : [];
      const meant = compared.find((element) => isClose(name, String(element.name)))?.name;
      return {
        file: contract.file,
        position: placeInCode(contract.text, read.at),
        message: `the code reads configuration.${name}, which manifest.json does not declare${meant ? `; did you mean \`${meant}\`?` : ''}`,
        ...(!meant && { fix: `declare it in configuration: { "name": ${JSON.stringify(name)}, "type": "string" }` }),
      };
    });
  },
};

const argumentUndeclared: Rule = {
  id: 'argument-undeclared',
  level: 'note',
  about:
    'The code reads `args.X`, and X is not declared, though others are: it is passed through unchecked (spec 2.5). A warning where a declared one is close and unused.',
  check: (subject) => {
    const contract = contractOf(subject, 'request_parameters');
    // Without any declaration all arguments are meant to be passed through as they come.
    if (!contract || contract.declared.length === 0) return [];
    const unused = unusedIn(contract, 'args').slice(0, MAX_MEANT);
    return [...undeclared(contract, 'args')].map(([name, read], i): Problem => {
      const compared = i < MAX_UNDECLARED && name.length >= MIN_MEANT ? unused : [];
      const meant = compared.find((element) => isClose(name, String(element.name)))?.name;
      const message = `the code reads args.${name}, which request_parameters does not declare; it is passed through unchecked`;
      return {
        file: contract.file,
        position: placeInCode(contract.text, read.at),
        message: meant === undefined ? message : `${message}; did you mean \`${meant}\`?`,
        ...(meant !== undefined && { level: 'warning' }),
      };
    });
  },
};

const REQUEST = ['args', 'configuration', 'bt'];

/** The property of the request that another name is close to, or the beginning of. */
const meantProperty = (name: string): string | undefined =>
  REQUEST.find((known) =>
    known === 'bt'
      ? /^(bt|tb)$/i.test(name)
      : isClose(name, known) || (name.length > 2 && known.startsWith(name.toLowerCase())),
  );

const requestUnknown: Rule = {
  id: 'request-unknown',
  level: 'note',
  about:
    'The code reads a property of the request other than `args`, `configuration`, and `bt`; a warning where it is close to one of them, and the request is passed nowhere else.',
  check: ({ code }) => {
    const usage = code?.facts.analysis?.usage;
    if (!code || !usage) return [];
    const written = new Set(usage.writes.map(([top]) => top));
    const isPassedOn = usage.reads.some(({ path, isWhole }) => isWhole && path.length === 0);
    const found = new Map<string, Read>();
    for (const read of [...usage.otherReads].sort((a, b) => a.at - b.at)) {
      const [name = ''] = read.path;
      if (REQUEST.includes(name) || !read.isCertain || written.has(name) || isInherited(name)) continue;
      if (!found.has(name)) found.set(name, read);
    }
    return [...found].map(([name, read]): Problem => {
      const meant = meantProperty(name);
      return {
        file: code.file,
        position: placeInCode(code.text, read.at),
        message: `the request has no property ${JSON.stringify(name)}, only args, configuration, and bt${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`,
        ...(meant !== undefined && !isPassedOn && { level: 'warning' }),
      };
    });
  },
};

/** The declared elements of a list that the code provably never reads. */
function unusedIn({ usage: { reads }, declared }: Contract, top: 'args' | 'configuration'): Contract['declared'] {
  // Whoever gets one of them whole may read anything.
  if (reads.some(({ path, isWhole }) => isWhole && path.length <= 1)) return [];
  const read = new Set(reads.flatMap(({ path }) => pathsTo(path)));
  const passedOn = new Set(reads.filter(({ isWhole }) => isWhole).map(({ path }) => keyOf(path)));
  return declared.filter(({ levels }) => {
    const path = [top, ...levels];
    return !read.has(keyOf(path)) && !pathsTo(path).some((key) => passedOn.has(key));
  });
}

const declaredUnused: Rule = {
  id: 'declared-unused',
  level: 'note',
  about: 'A setting or request parameter is declared, and the code provably never reads it.',
  check: (subject) => {
    const { manifest } = subject;
    return (['configuration', 'request_parameters'] as const).flatMap((list) => {
      const contract = contractOf(subject, list);
      if (!contract || !manifest) return [];
      return unusedIn(contract, list === 'configuration' ? 'configuration' : 'args').map(({ index, name }): Problem => {
        const path = [list, index, 'name'];
        const message = `${pathText(path)} is ${JSON.stringify(name)}, which the code never reads`;
        return { file: 'manifest.json', position: manifest.locate(path), message };
      });
    });
  },
};

export const contractRules: readonly Rule[] = [
  configurationUndeclared,
  argumentUndeclared,
  requestUnknown,
  declaredUnused,
];
