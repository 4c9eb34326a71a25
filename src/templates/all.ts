/** The templates of `formula init`, by name. */
import { callApi } from './call-api.ts';
import { greet } from './greet.ts';
import { greetTypeScript } from './greet-typescript.ts';
import { shareToken } from './share-token.ts';
import { sign } from './sign.ts';
import type { Template } from './template.ts';
import { tokenize } from './tokenize.ts';
import { transform } from './transform.ts';

export const TEMPLATES: Readonly<Record<string, Template>> = {
  js: greet,
  ts: greetTypeScript,
  tokenize,
  'call-api': callApi,
  'share-token': shareToken,
  sign,
  transform,
};
