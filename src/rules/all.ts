/** All rules, one line per family. */
import { codeRules } from './code.ts';
import { elementRules } from './elements.ts';
import { fileRules } from './files.ts';
import { iconRules } from './icon.ts';
import { invisibleRules } from './invisible.ts';
import { limitRules } from './limits.ts';
import { manifestRules } from './manifest.ts';
import { nameRules } from './name.ts';
import { requestUsageRules } from './request-usage.ts';
import type { Rule } from './rule.ts';
import { secretRules } from './secrets.ts';
import { localFileRules, targetRules } from './target.ts';

export const allRules: readonly Rule[] = [
  ...manifestRules,
  ...nameRules,
  ...elementRules,
  ...fileRules,
  ...codeRules,
  ...localFileRules,
  ...invisibleRules,
  ...targetRules,
  ...requestUsageRules,
  ...secretRules,
  ...iconRules,
  ...limitRules,
];
