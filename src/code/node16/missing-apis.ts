/** Finds APIs that Node.js 16 lacks, unless the code provides or guards them. */
import type { AnyNode, MemberExpression } from 'acorn';
import { groupBy } from '../../text/group-by.ts';
import { getLiteralText, getPropertyName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { type BundledModule, splitScopesByModule } from '../bundle/bundled-modules.ts';
import { findDefinition, isGlobal, type Scopes } from '../scope/scope-analysis.ts';
import { gatherFacts, type Node16Facts } from './facts.ts';
import { isGuarded, isNeeded } from './guards.ts';
import { collectCalledNames, failsAtLoad, isInCommonJs, loadsModules, mayRun } from './load-time.ts';
import { findOwner, findOwnerOfTarget, listConstantReads, mayComeFromPackage } from './owners.ts';
import {
  findMissingName,
  GLOBALS,
  ITERATOR_HELPERS,
  type MissingName,
  MODULES,
  type Owner,
  parseWords,
  TABLE_NAMES,
} from './table.ts';

export interface MissingApi extends MissingName {
  /** Its offset. */
  at: number;
  /** The bundled package that uses it; undefined for the formula's own files. */
  packageName?: string;
  /** Whether the package cannot be loaded because of it. */
  failsAtLoad?: boolean;
  /** Whether the package needs it: it loads no other module, and the code is not an unused part of it. */
  isOnlyMeans?: boolean;
}

/** Names by which code gets an iterator. */
const ITERATOR_SOURCES = parseWords('keys values entries matchAll');

/** The names in a script that may be those of missing APIs; hardly any script has one. */
function collectNames({ nodesOfType }: Scopes): ReadonlySet<string> {
  const names = new Set<string>();
  let mayIterate = [...nodesOfType('FunctionDeclaration'), ...nodesOfType('FunctionExpression')].some(
    ({ generator }) => generator,
  );
  const helpers = new Set<string>();
  const add = (name: string) => {
    if (TABLE_NAMES.has(name)) names.add(name);
    else if (ITERATOR_HELPERS.has(name)) helpers.add(name);
    else if (ITERATOR_SOURCES.has(name)) mayIterate = true;
  };
  for (const { name } of nodesOfType('Identifier')) add(name);
  for (const { value } of nodesOfType('Literal')) if (typeof value === 'string') add(value);
  for (const { value } of nodesOfType('TemplateElement')) if (value.cooked) add(value.cooked);
  return mayIterate ? new Set([...names, ...helpers]) : names;
}

/**
 * The first use of each API in a module, in source order. A guard applies to its file or package, and an assignment to a
 * global to all of the formula's own files. `others` is code that may call the functions of the script.
 */
export function findMissingApis(
  scopes: Scopes,
  moduleAt: (offset: number) => BundledModule,
  text: string,
  others: string,
) {
  const names = collectNames(scopes);
  if (names.size === 0) return undefined;
  const isWhole = moduleAt(0).name === '' && moduleAt(text.length).name === '';
  const parts = isWhole ? [{ module: moduleAt(0), scopes }] : splitScopesByModule(scopes, moduleAt);
  const unclear = new Set(scopes.unclear.map((offset) => moduleAt(offset).packageName));
  const analyzed = parts.map((part) => ({ ...part, facts: gatherFacts(part.scopes, names) }));
  const setsGlobals = analyzed.some(({ facts }) => facts.assignedGlobals.size > 0);
  const called = setsGlobals ? collectCalledNames(scopes, others) : new Set<string>();
  const assignedGlobals = analyzed.flatMap(({ module, facts }) =>
    [...facts.assignedGlobals].flatMap(([name, node]) =>
      module.packageName === undefined || mayRun(node, called, scopes) ? name : [],
    ),
  );
  const isOwnCodePolyfilled = analyzed.some(
    ({ module, facts }) => module.packageName === undefined && facts.mayBePolyfilled,
  );
  const missingApis = analyzed
    .flatMap(({ module: { packageName }, scopes: own, facts }) => {
      if (packageName !== undefined && unclear.has(packageName)) return [];
      countSteps(assignedGlobals.length);
      const mayBePolyfilled = packageName === undefined ? isOwnCodePolyfilled : facts.mayBePolyfilled;
      const namedGlobals = new Set([...facts.namedGlobals, ...assignedGlobals]);
      return findUses(own, { ...facts, mayBePolyfilled, namedGlobals }, packageName);
    })
    .sort((a, b) => a.at - b.at);
  return { missingApis, globalsSet: assignedGlobals };
}

function findUses(scopes: Scopes, facts: Node16Facts, packageName: string | undefined): MissingApi[] {
  const byName = groupBy(listMentions(scopes, facts), ({ what }) => what);
  const isAlone = packageName !== undefined && !loadsModules(scopes, facts);
  return [...byName.values()].flatMap((mentions): MissingApi[] => {
    // One of them allows for its absence.
    if (mentions.some(({ isOptional }) => isOptional)) return [];
    const isPassedOn = mentions.every((mention) => mention.isPassedOn);
    const [first] = mentions.filter(({ node }) => !isGuarded(node, scopes)).sort((a, b) => a.node.start - b.node.start);
    if (!first || (isPassedOn && packageName === undefined)) return [];
    const { kind, what, node } = first;
    const found = { kind, what, at: node.start };
    if (packageName === undefined) return [found];
    const isOnlyMeans = isAlone && !isInCommonJs(node, scopes);
    return [{ ...found, packageName, failsAtLoad: !isPassedOn && failsAtLoad(first, scopes), isOnlyMeans }];
  });
}

interface Mention extends MissingName {
  node: AnyNode;
  /** Whether the code works without it. */
  isOptional?: boolean;
  /** Whether the code only passes it on, as some packages do that need it; for others, it may be optional. */
  isPassedOn?: boolean;
}

const listMentions = (scopes: Scopes, facts: Node16Facts): Mention[] => [
  ...listMemberMentions(scopes, facts),
  ...listDestructured(scopes, facts),
  ...findModuleUses(facts),
  ...(facts.mayBePolyfilled
    ? []
    : [...listGlobals(scopes, facts), ...findRegExpUses(scopes), ...findDisposeUses(scopes, facts)]),
];

/** `globalThis.fetch`, `Object.groupBy`, `list.findLast`, `crypto.hash` where crypto is `require('crypto')` */
const listMemberMentions = (scopes: Scopes, facts: Node16Facts): Mention[] =>
  [...facts.members].flatMap(([name, members]) =>
    members.flatMap((member): Mention[] => {
      const owner = findOwner(member.object, scopes);
      const missing = owner ? findMissingName(owner, name) : guessMethod(member, name, scopes);
      if (!missing || isProvided(owner, name, facts)) return [];
      const isProperty = missing.kind === 'global' || missing.kind === 'method';
      return [
        { ...missing, node: isProperty ? member.property : member, ...assessUse(member, missing, owner, scopes) },
      ];
    }),
  );

/** Names that only these methods have; other names count only on values of a known builtin type. */
const UNAMBIGUOUS = parseWords('findLast findLastIndex toSorted toReversed toSpliced isWellFormed toWellFormed');
/** Names that libraries also have. */
const SHARED_WITH_LIBRARIES = /^findLast/;

function guessMethod({ object }: MemberExpression, name: string, scopes: Scopes): MissingName | undefined {
  if (!UNAMBIGUOUS.has(name) || (SHARED_WITH_LIBRARIES.test(name) && mayComeFromPackage(object, scopes)))
    return undefined;
  return { kind: 'method', what: `.${name}()` };
}

/** `const { fetch } = globalThis`, `const { groupBy } = Object`, `const { hash } = require('crypto')` */
const listDestructured = (scopes: Scopes, facts: Node16Facts): Mention[] =>
  scopes.nodesOfType('ObjectPattern').flatMap((pattern) => {
    const owner = findOwnerOfTarget(pattern, scopes, (node) => findOwner(node, scopes));
    if (!owner) return [];
    return pattern.properties.flatMap((property): Mention[] => {
      const name = property.type === 'Property' ? getPropertyName(property) : undefined;
      const missing = name === undefined ? undefined : findMissingName(owner, name);
      if (property.type !== 'Property' || name === undefined || !missing || isProvided(owner, name, facts)) return [];
      return listConstantReads(property.value, scopes).map((read) => ({
        ...missing,
        node: property,
        ...assessUse(read, missing, owner, scopes),
      }));
    });
  });

/** Whether the code sets or defines the name, or tests for it with `in`. Polyfills do not add to modules of Node.js. */
function isProvided(owner: Owner | undefined, name: string, facts: Node16Facts): boolean {
  if (owner?.kind === 'module') return false;
  if (facts.mayBePolyfilled) return true;
  return owner?.kind === 'global'
    ? facts.namedGlobals.has(name)
    : facts.mentionedNames.has(name) || facts.definedNames.has(name);
}

function assessUse(use: AnyNode, { kind }: MissingName, owner: Owner | undefined, scopes: Scopes) {
  // A getter is only undefined, so no use throws.
  if (owner?.kind === 'instance' && kind === 'member') return { isOptional: isTested(use, scopes) };
  const isPassed = owner?.kind === 'module' && isPassedOn(use, scopes);
  return { isOptional: !isPassed && !isNeeded(use, scopes), isPassedOn: isPassed };
}

/** `params.size ?? 1`, `params.size === undefined`, `typeof params.size` */
function isTested(node: AnyNode, { parentOf }: Scopes): boolean {
  const parent = parentOf.get(node);
  if (parent?.type === 'LogicalExpression') return parent.left === node && parent.operator !== '&&';
  if (parent?.type === 'UnaryExpression') return parent.operator === 'typeof';
  if (parent?.type !== 'BinaryExpression' || !/^[!=]==?$/.test(parent.operator)) return false;
  return parent.right.type !== 'Literal' || typeof parent.right.value !== 'number';
}

/** Whether a value is given to a variable or a function, so that it is not known whether the code needs it. */
function isPassedOn(node: AnyNode, { parentOf }: Scopes): boolean {
  const parent = parentOf.get(node);
  if (parent?.type === 'VariableDeclarator') return parent.id.type === 'Identifier';
  if (parent?.type === 'AssignmentExpression') return parent.right === node && parent.operator === '=';
  return parent?.type === 'CallExpression' && parent.arguments.some((argument) => argument === node);
}

/** `fetch`, unless the code sets the name, or tests for it with typeof or in. */
const listGlobals = ({ free, parentOf }: Scopes, { namedGlobals }: Node16Facts): Mention[] =>
  free
    .filter(({ node: { name } }) => GLOBALS.has(name) && !namedGlobals.has(name))
    .map(({ node, isWrite }) => ({
      kind: 'global',
      what: node.name,
      node,
      isOptional: isWrite || parentOf.get(node)?.type === 'UnaryExpression',
    }));

/** `require('node:sqlite')`; without `node:`, only a subpath is no package: `require('readline/promises')`. */
const findModuleUses = ({ loads }: Node16Facts): Mention[] =>
  loads
    .filter(({ name }) => MODULES.has(name.replace(/^node:/, '')) && /^node:|\/promises$/.test(name))
    .map(({ node, name }) => ({ kind: 'module', what: name, node }));

/** `new RegExp(…, 'v')` */
function findRegExpUses(scopes: Scopes): Mention[] {
  return [...scopes.nodesOfType('NewExpression'), ...scopes.nodesOfType('CallExpression')].flatMap(
    (node): Mention[] => {
      const { callee } = node;
      const flags = isGlobal(callee, 'RegExp', scopes) ? node.arguments[1] : undefined;
      if (!flags || !getLiteralText(findDefinition(flags, scopes) ?? flags)?.includes('v')) return [];
      return [{ kind: 'flag', what: 'v', node }];
    },
  );
}

/** `using`, compiled: only its helpers read `Symbol.dispose`; elsewhere the symbol is a key that nothing reads. */
function findDisposeUses(scopes: Scopes, { members, mentionedNames }: Node16Facts): Mention[] {
  const isCompiled = scopes
    .nodesOfType('CallExpression')
    .some(({ callee }) => callee.type === 'Identifier' && /^__(using|addDisposableResource)$/.test(callee.name));
  return ['dispose', 'asyncDispose'].flatMap((name) => {
    const mentions = isCompiled && !mentionedNames.has(name) ? (members.get(name) ?? []) : [];
    return mentions
      .filter(({ object }) => isGlobal(object, 'Symbol', scopes))
      .slice(0, 1)
      .map((node): Mention => ({ kind: 'member', what: `Symbol.${name}`, node }));
  });
}
