/** Tells TypeScript from JavaScript that is broken, by parsing it as TypeScript. */
import { tsPlugin } from '@sveltejs/acorn-typescript';
import type { Parser } from 'acorn';
import { DeepParser } from './deep-parser.ts';

/** True if the text, which is no JavaScript, parses as TypeScript. */
export function isTypeScript(text: string): boolean {
  try {
    // The plugin's type of a parser class is that of another acorn version.
    const TypeScriptParser = DeepParser.extend(tsPlugin() as unknown as (base: typeof Parser) => typeof Parser);
    TypeScriptParser.parse(text, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      allowReturnOutsideFunction: true,
    });
    return true;
  } catch {
    return false;
  }
}
