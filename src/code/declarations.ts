/** Generates formula.d.ts: the request and response types of a formula, from its manifest. Pure. */
import type { ConfigurationElement, Declarations, RequestParameter } from '../model.ts';

/** The first line of every generated file, which identifies it. */
export const GENERATED_MARK = '// Generated from manifest.json by: formulary formula types';

/** The text of formula.d.ts. */
export function generateDeclarations({ request_parameters, configuration }: Declarations): string {
  const args =
    request_parameters.length === 0
      ? '/** Nothing is declared, so any object or array is allowed. */\nexport type Args = Record<string, unknown>;'
      : `/** The arguments of an invocation; undeclared ones are passed through unchecked. */\nexport interface Args ${formatObjectType(buildParameterTree(request_parameters), '')}`;
  return `${GENERATED_MARK}

${args}

/** The settings of the reactor. */
export interface Configuration ${formatConfigurationType(configuration)}

/** The argument of the function. */
export interface FormulaRequest {
  args: Args;
  configuration: Configuration;
  /** A client of the service; null if the reactor has no application. */
  bt: Record<string, Record<string, (...values: unknown[]) => Promise<unknown>>> | null;
}

/** The result of the function. */
export interface FormulaResponse {
  /** Returned in plain text. */
  raw?: object;
  /** Turned into tokens. */
  tokenize?: object;
}

export type Formula = (request: FormulaRequest) => Promise<FormulaResponse>;
`;
}

/** One level of nested parameters: the parameter with this name, and its children. */
interface Branch {
  element?: Pick<RequestParameter, 'description' | 'optional'> & { type: string };
  children: Map<string, Branch>;
}

/** Deeper parameters are not typed, because a compiler would not accept them. */
const MAX_LEVELS = 100;

function buildParameterTree(parameters: readonly RequestParameter[]): Branch {
  const root: Branch = { children: new Map() };
  for (const element of parameters) {
    let branch = root;
    const steps = element.name.split('.');
    for (const step of steps.slice(0, MAX_LEVELS)) {
      const next = branch.children.get(step) ?? { children: new Map() };
      branch.children.set(step, next);
      branch = next;
    }
    branch.element = steps.length > MAX_LEVELS ? { ...element, type: 'unknown' } : element;
  }
  return root;
}

function formatObjectType({ children }: Branch, indent: string): string {
  const inner = `${indent}  `;
  const members = [...children].map(([name, branch]) => {
    const types = [
      ...(branch.element ? [branch.element.type] : []),
      ...(branch.children.size > 0 ? [formatObjectType(branch, inner)] : []),
    ];
    return formatMember(inner, name, isOptional(branch), types.join(' & '), branch.element);
  });
  return `{\n${members.join('')}${inner}[undeclared: string]: unknown;\n${indent}}`;
}

/** A parent is optional if all of its children are. */
const isOptional = ({ element, children }: Branch): boolean =>
  (element ? (element.optional ?? false) : true) && [...children.values()].every(isOptional);

function formatConfigurationType(elements: readonly ConfigurationElement[]): string {
  const members = elements.map((element) => formatMember('  ', element.name, false, element.type, element));
  return members.length === 0 ? '{}' : `{\n${members.join('')}}`;
}

function formatMember(indent: string, name: string, optional: boolean, type: string, element?: Branch['element']) {
  const text = element?.description?.replaceAll('*/', '* /').replace(/\s+/g, ' ').trim();
  const comment = text ? `${indent}/** ${text} */\n` : '';
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${comment}${indent}${key}${optional ? '?' : ''}: ${type};\n`;
}
