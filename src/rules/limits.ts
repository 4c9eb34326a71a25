/** Limits that a known service has beyond the specification: legal, but worth knowing. */

import { MAX_CHARACTERS } from '../code/code-facts.ts';
import { type Manifest, pathText } from '../folder/manifest.ts';
import { MAX_ELEMENTS as MOST_CHECKED } from '../folder/manifest-violations.ts';
import { codePoints } from '../text/code-points.ts';
import type { JsonPath } from '../text/json-with-positions.ts';
import type { Problem, Rule, Subject } from './rule.ts';

const MAX_DESCRIPTION = 1000;
const MAX_ELEMENT_NAME = 200;
const MAX_ELEMENT_DESCRIPTION = 400;
const MAX_ELEMENTS = 25;
const MAX_CODE = 50_000;
const MAX_ICON = 50_000;

/** A text has no more characters than UTF-16 units, so that most need not be taken apart. */
const isLonger = (text: string, limit: number) => text.length > limit && codePoints(text) > limit;

const limitsKnown: Rule = {
  id: 'limits-known',
  level: 'note',
  about: `Beyond a limit that a known service has: description ${MAX_DESCRIPTION} characters, element name ${MAX_ELEMENT_NAME}, element description ${MAX_ELEMENT_DESCRIPTION} on one line, ${MAX_ELEMENTS} elements a list, code and icon ${MAX_CODE} characters each.`,
  check: ({ manifest, code, contents }) => [
    ...(manifest ? manifestLimits(manifest) : []),
    ...(code && isLonger(code.text, MAX_CODE)
      ? [top(code.file, `the code has ${codePoints(code.text)} characters${unanalyzed(code)}`, MAX_CODE)]
      : []),
    ...contents.icons.flatMap((icon) => {
      const length = icon.state === 'read' ? Math.ceil(icon.bytes.length / 3) * 4 : 0;
      return length > MAX_ICON ? [top(icon.file, `the icon has ${length} characters as base64`, MAX_ICON)] : [];
    }),
  ],
};

/** Of a large bundle the formula's own files are analyzed. */
const unanalyzed = ({ text, facts }: NonNullable<Subject['code']>) =>
  text.length > MAX_CHARACTERS && !facts.analysis ? ` (more than ${MAX_CHARACTERS} are not analyzed)` : '';

const words = (found: string, limit: number) => `${found}; a known service allows ${limit}`;

const top = (file: string, found: string, limit: number): Problem => ({
  file,
  position: { line: 1, column: 1 },
  message: words(found, limit),
});

function manifestLimits(manifest: Manifest): Problem[] {
  const value = manifest.value as Record<string, unknown> | null | undefined;
  if (typeof value !== 'object' || value === null) return [];
  const at = (path: JsonPath, found: string, limit: number): Problem => ({
    file: 'manifest.json',
    position: manifest.locate(path),
    message: words(`${pathText(path)} has ${found}`, limit),
  });
  const problems = tooLong(value['description'], MAX_DESCRIPTION, (length) =>
    at(['description'], length, MAX_DESCRIPTION),
  );
  for (const list of ['configuration', 'request_parameters']) {
    const elements = value[list];
    if (!Array.isArray(elements)) continue;
    if (elements.length > MAX_ELEMENTS) problems.push(at([list], `${elements.length} elements`, MAX_ELEMENTS));
    for (const [i, element] of (elements as Record<string, unknown>[]).slice(0, MOST_CHECKED).entries()) {
      problems.push(
        ...tooLong(element?.['name'], MAX_ELEMENT_NAME, (length) => at([list, i, 'name'], length, MAX_ELEMENT_NAME)),
      );
      problems.push(
        ...descriptionLimit(element?.['description'], (found) =>
          at([list, i, 'description'], found, MAX_ELEMENT_DESCRIPTION),
        ),
      );
    }
  }
  return problems;
}

function tooLong(text: unknown, limit: number, say: (found: string) => Problem): Problem[] {
  return typeof text === 'string' && isLonger(text, limit) ? [say(`${codePoints(text)} characters`)] : [];
}

function descriptionLimit(text: unknown, say: (found: string) => Problem): Problem[] {
  if (typeof text === 'string' && /[\r\n]/.test(text))
    return [say(`more than one line (${codePoints(text)} characters)`)];
  return tooLong(text, MAX_ELEMENT_DESCRIPTION, say);
}

export const limitRules: readonly Rule[] = [limitsKnown];
