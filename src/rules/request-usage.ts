/** Rules that compare the request properties that the code reads with the manifest (spec 2.4 and 2.5). */
import type { RequestPath, RequestRead, RequestUsage } from '../code/dataflow/request-usage.ts';
import { isLikelyTypo } from '../text/did-you-mean.ts';
import { formatJsonPath } from '../text/schema-errors.ts';
import { type ElementList, getElements, type ManifestElement } from './elements.ts';
import {
  type CheckedCode,
  createCodeFinding,
  createManifestFinding,
  once,
  type Rule,
  type RuleFinding,
  type Subject,
} from './rule.ts';

/** The reads of the code and one declared list. */
interface UsageCheck {
  code: CheckedCode;
  usage: RequestUsage;
  /** The key of the request that the list declares. */
  top: 'args' | 'configuration';
  /** The declared elements of the list, with the levels of their names. */
  declared: readonly (ManifestElement & { levels: readonly string[] })[];
  /** Those that the code provably never reads. */
  unused: UsageCheck['declared'];
}

const getUsageChecks = once(({ manifest, code }: Subject): Partial<Record<ElementList, UsageCheck>> => {
  const usage = code?.facts.analysis?.requestUsage;
  const value = manifest?.value as Partial<Record<ElementList, unknown>> | null | undefined;
  const prepare = (list: ElementList, top: UsageCheck['top']) => {
    if (!code || !usage || !Array.isArray(value?.[list])) return {};
    const declared = getElements(manifest)
      .filter((element) => element.list === list && typeof element.name === 'string')
      .map((element) => ({ ...element, levels: String(element.name).split('.') }));
    return { [list]: { code, usage, top, declared, unused: findUnused(declared, usage, top) } };
  };
  return { ...prepare('configuration', 'configuration'), ...prepare('request_parameters', 'args') };
});

/** Maximum depth of reads. */
const MAX_LEVELS = 17;

/** A path and its parents, as keys of a set: `a`, `a.b`, `a.b.c`. */
function listPrefixes(path: RequestPath): string[] {
  const keys: string[] = [];
  for (const step of path.slice(0, MAX_LEVELS)) keys.push(keys.length === 0 ? step : `${keys.at(-1)}\0${step}`);
  return keys;
}

const toKey = (path: RequestPath) => path.join('\0');

/** The declared elements of a list that the code provably never reads. */
function findUnused(declared: UsageCheck['declared'], { reads }: RequestUsage, top: UsageCheck['top']) {
  const escaped = reads.filter(({ escapes }) => escapes).map(({ path }) => path);
  // If a part escapes, anything in it may be read.
  if (declared.length === 0 || escaped.some((path) => path.length <= 1)) return [];
  const readKeys = new Set(reads.flatMap(({ path }) => listPrefixes(path)));
  const escapedKeys = new Set(escaped.map(toKey));
  return declared.filter(({ levels }) => {
    const path = [top, ...levels];
    return !readKeys.has(toKey(path)) && !listPrefixes(path).some((key) => escapedKeys.has(key));
  });
}

/** Every object has these, whatever is declared. */
const isInherited = (name: string) => name in Object.prototype;

/** The certain reads under one key of the request that are not declared, by the name to declare. */
function findUndeclaredReads({ usage, declared, top }: UsageCheck): Map<string, RequestRead> {
  const names = new Set(declared.map(({ levels }) => toKey(levels)));
  const parents = new Set(declared.flatMap(({ levels }) => listPrefixes(levels)));
  const written = new Set(usage.writes.map(toKey));
  const found = new Map<string, RequestRead>();
  for (const read of [...usage.reads].sort((a, b) => a.at - b.at)) {
    const [first, ...path] = read.path;
    if (first !== top || path.length === 0 || !read.isCertain || path.some(isInherited)) continue;
    const keys = listPrefixes(path);
    const isDeclared = parents.has(toKey(path)) || keys.some((key) => names.has(key));
    if (isDeclared || listPrefixes(read.path).some((key) => written.has(key))) continue;
    // Up to the first level that is not declared.
    const name = path.slice(0, keys.findIndex((key) => !parents.has(key)) + 1).join('.');
    if (!found.has(name)) found.set(name, read);
  }
  return found;
}

/** Maximum undeclared names, and declared names, that are compared. */
const MAX_UNDECLARED = 100;
const MAX_SUGGESTIONS = 500;
/** Shorter names are similar by chance. */
const MIN_SUGGESTION_LENGTH = 3;

/** One finding for each undeclared name that the code reads; `candidates` are the names that may be meant. */
function reportUndeclared(
  usageCheck: UsageCheck,
  candidates: UsageCheck['declared'],
  describe: (name: string) => string,
  getDetails: (name: string, isSuggested: boolean) => Pick<RuleFinding, 'fix' | 'level'>,
): RuleFinding[] {
  return [...findUndeclaredReads(usageCheck)].map(([name, read], i) => {
    const compared = i < MAX_UNDECLARED && name.length >= MIN_SUGGESTION_LENGTH ? candidates : [];
    const suggestion = compared.slice(0, MAX_SUGGESTIONS).find((one) => isLikelyTypo(name, String(one.name)))?.name;
    const message = suggestion === undefined ? describe(name) : `${describe(name)}; did you mean \`${suggestion}\`?`;
    return createCodeFinding(usageCheck.code, read.at, message, getDetails(name, suggestion !== undefined));
  });
}

const REQUEST_PROPERTIES = ['args', 'configuration', 'bt'];

/** The request property that a name is similar to, or a prefix of. */
const suggestProperty = (name: string): string | undefined =>
  REQUEST_PROPERTIES.find((known) =>
    known === 'bt'
      ? /^(bt|tb)$/i.test(name)
      : isLikelyTypo(name, known) || (name.length > 2 && known.startsWith(name.toLowerCase())),
  );

export const requestUsageRules: readonly Rule[] = [
  {
    id: 'configuration-undeclared',
    level: 'warning',
    description: 'The code reads `configuration.X`, which is not declared.',
    check: (subject) => {
      const { configuration } = getUsageChecks(subject);
      if (!configuration) return [];
      return reportUndeclared(
        configuration,
        configuration.declared,
        (name) => `the code reads configuration.${name}, which manifest.json does not declare`,
        (name, isSuggested) =>
          isSuggested
            ? {}
            : { fix: `Declare it in configuration: { "name": ${JSON.stringify(name)}, "type": "string" }` },
      );
    },
  },
  {
    id: 'argument-undeclared',
    level: 'note',
    description:
      'The code reads `args.X`, which is not declared although other arguments are; it is passed through unchecked (spec 2.5). A warning if an unused parameter has a similar name.',
    check: (subject) => {
      const { request_parameters: parameters } = getUsageChecks(subject);
      // Without declarations, all arguments are passed through on purpose.
      if (!parameters || parameters.declared.length === 0) return [];
      return reportUndeclared(
        parameters,
        parameters.unused,
        (name) =>
          `the code reads args.${name}, which request_parameters does not declare; it is passed through unchecked`,
        (_, isSuggested) => (isSuggested ? { level: 'warning' } : {}),
      );
    },
  },
  {
    id: 'request-unknown',
    level: 'note',
    description:
      'The code reads a property of the request other than `args`, `configuration`, and `bt`; a warning if it is similar to one of them and the request is not passed on.',
    check: ({ code }) => {
      const usage = code?.facts.analysis?.requestUsage;
      if (!code || !usage) return [];
      const written = new Set(usage.writes.map(([top]) => top));
      const requestEscapes = usage.reads.some(({ path, escapes }) => escapes && path.length === 0);
      const found = new Map<string, RequestRead>();
      for (const read of [...usage.otherReads].sort((a, b) => a.at - b.at)) {
        const [name = ''] = read.path;
        if (REQUEST_PROPERTIES.includes(name) || !read.isCertain || written.has(name) || isInherited(name)) continue;
        if (!found.has(name)) found.set(name, read);
      }
      return [...found].map(([name, read]): RuleFinding => {
        const suggestion = suggestProperty(name);
        const message = `the request has no property ${JSON.stringify(name)}, only args, configuration, and bt`;
        if (suggestion === undefined) return createCodeFinding(code, read.at, message);
        const suggested = `${message}; did you mean \`${suggestion}\`?`;
        return createCodeFinding(code, read.at, suggested, requestEscapes ? {} : { level: 'warning' });
      });
    },
  },
  {
    id: 'declared-unused',
    level: 'note',
    description: 'A setting or request parameter is declared but never read by the code.',
    check: (subject) => {
      const { manifest } = subject;
      const { configuration, request_parameters: parameters } = getUsageChecks(subject);
      if (!manifest) return [];
      return [...(configuration?.unused ?? []), ...(parameters?.unused ?? [])].map(({ list, index, name }) => {
        const path = [list, index, 'name'];
        const message = `${formatJsonPath(path)} is ${JSON.stringify(name)}, which the code never reads`;
        return createManifestFinding(manifest, path, message);
      });
    },
  },
];
