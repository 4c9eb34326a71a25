/** The properties of each type of node that contain nodes, in source order. */
import type { AnyNode } from 'acorn';

type NodeOfType<Type extends AnyNode['type']> = Extract<AnyNode, { type: Type }>;

/** Whether a value is a node, a list of nodes, or one of them or null. */
type ContainsNodes<Value> =
  NonNullable<Value> extends readonly (infer Item)[]
    ? NonNullable<Item> extends { type: string }
      ? true
      : false
    : NonNullable<Value> extends { type: string }
      ? true
      : false;

type ChildKey<T> = { [Key in keyof T]-?: ContainsNodes<T[Key]> extends true ? Key : never }[keyof T];

/** The compiler requires each key of acorn's types. */
type ChildKeys = { [Type in AnyNode['type']]: { [Key in ChildKey<NodeOfType<Type>>]: 1 } };

const FUNCTION = { id: 1, params: 1, body: 1 } as const;
const CLASS = { id: 1, superClass: 1, body: 1 } as const;
const LOOP = { left: 1, right: 1, body: 1 } as const;
const OPERANDS = { left: 1, right: 1 } as const;
const MEMBER = { key: 1, value: 1 } as const;
const CALL = { callee: 1, arguments: 1 } as const;
const ARGUMENT = { argument: 1 } as const;
const BODY = { body: 1 } as const;
const NONE = {} as const;

const KEYS: ChildKeys = {
  ArrayExpression: { elements: 1 },
  ArrayPattern: { elements: 1 },
  ArrowFunctionExpression: FUNCTION,
  AssignmentExpression: OPERANDS,
  AssignmentPattern: OPERANDS,
  AwaitExpression: ARGUMENT,
  BinaryExpression: OPERANDS,
  BlockStatement: BODY,
  BreakStatement: { label: 1 },
  CallExpression: CALL,
  CatchClause: { param: 1, body: 1 },
  ChainExpression: { expression: 1 },
  ClassBody: BODY,
  ClassDeclaration: CLASS,
  ClassExpression: CLASS,
  ConditionalExpression: { test: 1, consequent: 1, alternate: 1 },
  ContinueStatement: { label: 1 },
  DebuggerStatement: NONE,
  DoWhileStatement: { body: 1, test: 1 },
  EmptyStatement: NONE,
  ExportAllDeclaration: { exported: 1, source: 1, attributes: 1 },
  ExportDefaultDeclaration: { declaration: 1 },
  ExportNamedDeclaration: { declaration: 1, specifiers: 1, source: 1, attributes: 1 },
  ExportSpecifier: { local: 1, exported: 1 },
  ExpressionStatement: { expression: 1 },
  ForInStatement: LOOP,
  ForOfStatement: LOOP,
  ForStatement: { init: 1, test: 1, update: 1, body: 1 },
  FunctionDeclaration: FUNCTION,
  FunctionExpression: FUNCTION,
  Identifier: NONE,
  IfStatement: { test: 1, consequent: 1, alternate: 1 },
  ImportAttribute: MEMBER,
  ImportDeclaration: { specifiers: 1, source: 1, attributes: 1 },
  ImportDefaultSpecifier: { local: 1 },
  ImportExpression: { source: 1, options: 1 },
  ImportNamespaceSpecifier: { local: 1 },
  ImportSpecifier: { imported: 1, local: 1 },
  LabeledStatement: { label: 1, body: 1 },
  Literal: NONE,
  LogicalExpression: OPERANDS,
  MemberExpression: { object: 1, property: 1 },
  MetaProperty: { meta: 1, property: 1 },
  MethodDefinition: MEMBER,
  NewExpression: CALL,
  ObjectExpression: { properties: 1 },
  ObjectPattern: { properties: 1 },
  ParenthesizedExpression: { expression: 1 },
  PrivateIdentifier: NONE,
  Program: BODY,
  Property: MEMBER,
  PropertyDefinition: MEMBER,
  RestElement: ARGUMENT,
  ReturnStatement: ARGUMENT,
  SequenceExpression: { expressions: 1 },
  SpreadElement: ARGUMENT,
  StaticBlock: BODY,
  Super: NONE,
  SwitchCase: { test: 1, consequent: 1 },
  SwitchStatement: { discriminant: 1, cases: 1 },
  TaggedTemplateExpression: { tag: 1, quasi: 1 },
  TemplateElement: NONE,
  // Their children alternate.
  TemplateLiteral: { quasis: 1, expressions: 1 },
  ThisExpression: NONE,
  ThrowStatement: ARGUMENT,
  TryStatement: { block: 1, handler: 1, finalizer: 1 },
  UnaryExpression: ARGUMENT,
  UpdateExpression: ARGUMENT,
  VariableDeclaration: { declarations: 1 },
  VariableDeclarator: { id: 1, init: 1 },
  WhileStatement: { test: 1, body: 1 },
  WithStatement: { object: 1, body: 1 },
  YieldExpression: ARGUMENT,
};

/** The child keys of each node type, the last one first. */
export const REVERSED_CHILD_KEYS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(KEYS).map(([type, keys]) => [type, Object.keys(keys).reverse()]),
);
