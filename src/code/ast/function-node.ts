/** Nodes of a syntax tree that are functions: declarations, expressions, and arrows. */
import type { AnyNode } from 'acorn';

export type FunctionNode = Extract<AnyNode, { params: unknown }>;
