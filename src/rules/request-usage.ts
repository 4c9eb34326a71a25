/** Rules that compare the request properties that the code reads with the manifest (spec 2.4 and 2.5). */
import type { RequestPath, RequestRead, RequestUsage } from '../code/dataflow/request-usage.ts';
import { formatJsonPath } from '../folder/manifest.ts';
import { isLikelyTypo } from '../text/did-you-mean.ts';
import { type ElementList, getElements, type ManifestElement } from './elements.ts';
import { createCodeFinding, createManifestFinding, type Rule, type RuleFinding, type Subject } from './rule.ts';

/** The reads of the code and one declared list. */
interface UsageCheck {
  code: NonNullable<Subject['code']>;
  usage: RequestUsage;
  /** The declared elements of one list, with the levels of their names. */
  declared: readonly (ManifestElement & { levels: readonly string[] })[];
  /** Those that the code provably never reads. */
  unused: UsageCheck['declared'];
}

type UsageChecks = Readonly<Record<ElementList, UsageCheck | undefined>>;

/** Cached, because three rules need them. */
const cache = new WeakMap<Subject, UsageChecks>();

function getUsageChecks(subject: Subject): UsageChecks {
  const found = cache.get(subject) ?? prepareUsageChecks(subject);
  cache.set(subject, found);
  return found;
}

function prepareUsageChecks({ manifest, code }: Subject): UsageChecks {
  const usage = code?.facts.analysis?.requestUsage;
  const value = manifest?.value as Partial<Record<ElementList, unknown>> | null | undefined;
  const elements = getElements(manifest);
  const prepare = (list: ElementList): UsageCheck | undefined => {
    if (!code || !usage || !Array.isArray(value?.[list])) return undefined;
    const declared = elements
      .filter((element) => element.list === list && typeof element.name === 'string')
      .map((element) => ({ ...element, levels: String(element.name).split('.') }));
    return { code, usage, declared, unused: findUnused(declared, usage, list === 'configuration' ? list : 'args') };
  };
  return { configuration: prepare('configuration'), request_parameters: prepare('request_parameters') };
}

/** Maximum depth of reads. */
const MAX_LEVELS = 17;

/** A path and its parents, as keys of a set: `a`, `a.b`, `a.b.c`. */
function listPrefixes(path: RequestPath): string[] {
  const keys: string[] = [];
  for (const step of path.slice(0, MAX_LEVELS)) keys.push(keys.length === 0 ? step : `${keys.at(-1)}\0${step}`);
  return keys;
}

const toKey = (path: RequestPath) => path.join('\0');

/** Every object has these, whatever is declared. */
const isInherited = (name: string) => name in Object.prototype;

/** The certain reads under one key of the request that are not declared, by the name to declare. */
function findUndeclaredReads({ usage, declared }: UsageCheck, top: 'args' | 'configuration'): Map<string, RequestRead> {
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

const configurationUndeclared: Rule = {
  id: 'configuration-undeclared',
  level: 'warning',
  description: 'The code reads `configuration.X`, which is not declared.',
  check: (subject) => {
    const usageCheck = getUsageChecks(subject).configuration;
    if (!usageCheck) return [];
    return [...findUndeclaredReads(usageCheck, 'configuration')].map(([name, read], i): RuleFinding => {
      const compared = i < MAX_UNDECLARED ? usageCheck.declared.slice(0, MAX_SUGGESTIONS) : [];
      const suggestion = compared.find((element) => isLikelyTypo(name, String(element.name)))?.name;
      const message = `the code reads configuration.${name}, which manifest.json does not declare`;
      if (suggestion) return createCodeFinding(usageCheck.code, read.at, `${message}; did you mean \`${suggestion}\`?`);
      const fix = `Declare it in configuration: { "name": ${JSON.stringify(name)}, "type": "string" }`;
      return createCodeFinding(usageCheck.code, read.at, message, { fix });
    });
  },
};

const argumentUndeclared: Rule = {
  id: 'argument-undeclared',
  level: 'note',
  description:
    'The code reads `args.X`, which is not declared although other arguments are; it is passed through unchecked (spec 2.5). A warning if an unused parameter has a similar name.',
  check: (subject) => {
    const usageCheck = getUsageChecks(subject).request_parameters;
    // Without declarations, all arguments are passed through on purpose.
    if (!usageCheck || usageCheck.declared.length === 0) return [];
    const unused = usageCheck.unused.slice(0, MAX_SUGGESTIONS);
    return [...findUndeclaredReads(usageCheck, 'args')].map(([name, read], i): RuleFinding => {
      const compared = i < MAX_UNDECLARED && name.length >= MIN_SUGGESTION_LENGTH ? unused : [];
      const suggestion = compared.find((element) => isLikelyTypo(name, String(element.name)))?.name;
      const message = `the code reads args.${name}, which request_parameters does not declare; it is passed through unchecked`;
      if (suggestion === undefined) return createCodeFinding(usageCheck.code, read.at, message);
      const suggested = `${message}; did you mean \`${suggestion}\`?`;
      return createCodeFinding(usageCheck.code, read.at, suggested, { level: 'warning' });
    });
  },
};

const REQUEST_PROPERTIES = ['args', 'configuration', 'bt'];

/** The request property that a name is similar to, or a prefix of. */
const suggestProperty = (name: string): string | undefined =>
  REQUEST_PROPERTIES.find((known) =>
    known === 'bt'
      ? /^(bt|tb)$/i.test(name)
      : isLikelyTypo(name, known) || (name.length > 2 && known.startsWith(name.toLowerCase())),
  );

const requestUnknown: Rule = {
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
};

/** The declared elements of a list that the code provably never reads. */
function findUnused(
  declared: UsageCheck['declared'],
  { reads }: RequestUsage,
  top: 'args' | 'configuration',
): UsageCheck['declared'] {
  // If a part escapes, anything in it may be read.
  if (declared.length === 0 || reads.some(({ path, escapes }) => escapes && path.length <= 1)) return [];
  const tree = buildReadTree(reads);
  return declared.filter(({ levels }) => !isRead([top, ...levels], tree));
}

/** A part of the request that is read. */
interface ReadNode {
  children: Map<string, ReadNode>;
  escapes: boolean;
}

const createReadNode = (): ReadNode => ({ children: new Map(), escapes: false });

function buildReadTree(reads: RequestUsage['reads']): ReadNode {
  const root = createReadNode();
  for (const { path, escapes } of reads) {
    let node = root;
    for (const step of path) {
      const child = node.children.get(step) ?? createReadNode();
      node.children.set(step, child);
      node = child;
    }
    if (escapes) node.escapes = true;
  }
  return root;
}

/** Whether a part, or anything in it, may be read. */
function isRead(path: RequestPath, root: ReadNode): boolean {
  let node: ReadNode | undefined = root;
  for (const step of path) {
    node = node.children.get(step);
    if (!node || node.escapes) return node !== undefined;
  }
  return true;
}

const declaredUnused: Rule = {
  id: 'declared-unused',
  level: 'note',
  description: 'A setting or request parameter is declared but never read by the code.',
  check: (subject) => {
    const { manifest } = subject;
    return (['configuration', 'request_parameters'] as const).flatMap((list) => {
      const usageCheck = getUsageChecks(subject)[list];
      if (!usageCheck || !manifest) return [];
      return usageCheck.unused.map(({ index, name }): RuleFinding => {
        const path = [list, index, 'name'];
        const message = `${formatJsonPath(path)} is ${JSON.stringify(name)}, which the code never reads`;
        return createManifestFinding(manifest, path, message);
      });
    });
  },
};

export const requestUsageRules: readonly Rule[] = [
  configurationUndeclared,
  argumentUndeclared,
  requestUnknown,
  declaredUnused,
];
