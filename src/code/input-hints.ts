/** What the text of code tells about the inputs that its branches depend on. */
import { analyzeProgram } from './analysis.ts';
import { buildSyntaxTree } from './ast/walk.ts';
import { MAX_ANALYZED_CHARACTERS } from './code-facts.ts';
import { parseCode } from './parse/parse.ts';

/** Strings that say nothing of inputs. */
const COMMON =
  /^(?:use strict|raw|tokenize|status|message|errors|args|configuration|type|name|value|utf-?8|\s*|node:.*)$/;
const MAX_CONSTANTS = 200;
const MAX_STRING = 100;

/** Nothing for code that cannot be parsed or is too large. In a bundle, the formula's own code is at the end. */
export async function findInputHints(text: string) {
  const program = text.length > MAX_ANALYZED_CHARACTERS ? undefined : (await parseCode(text)).program;
  const { nodesOfType } = program ? buildSyntaxTree(program) : { nodesOfType: () => [] };
  const literals = nodesOfType('Literal');
  const keys = nodesOfType('Property').flatMap(({ key, computed }) =>
    key.type === 'Identifier' && !computed ? [key.name] : [],
  );
  const strings = literals.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  return {
    /** Parts of the request that the code reads. */
    reads: (program && analyzeProgram(program, text).requestUsage?.reads.map(({ path }) => path)) ?? [],
    strings: takeLast([...keys, ...strings].filter((one) => one.length <= MAX_STRING && !COMMON.test(one))),
    numbers: takeLast(literals.flatMap(({ value }) => (typeof value === 'number' ? [value] : []))),
  };
}

const takeLast = <T>(values: readonly T[]): T[] => [...new Set(values)].slice(-MAX_CONSTANTS);
