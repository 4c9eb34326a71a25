/** Limits of a known service that the specification does not have. */

import { MAX_ANALYZED_CHARACTERS } from '../code/code-facts.ts';
import { formatJsonPath, type Manifest } from '../folder/manifest.ts';
import { MAX_ELEMENTS as MOST_CHECKED } from '../folder/manifest-violations.ts';
import { countCodePoints } from '../text/code-points.ts';
import type { JsonPath } from '../text/json-with-positions.ts';
import type { Problem, Rule, Subject } from './rule.ts';

const MAX_DESCRIPTION = 1000;
const MAX_ELEMENT_NAME = 200;
const MAX_ELEMENT_DESCRIPTION = 400;
const MAX_ELEMENTS = 25;
const MAX_CODE = 50_000;
const MAX_ICON = 50_000;

/** A string never has more characters than UTF-16 units, so most need not be counted. */
const isLonger = (text: string, limit: number) => text.length > limit && countCodePoints(text) > limit;

const limitsKnown: Rule = {
  id: 'limits-known',
  level: 'note',
  description: `A value exceeds a limit of a known service: description ${MAX_DESCRIPTION} characters, element name ${MAX_ELEMENT_NAME}, element description ${MAX_ELEMENT_DESCRIPTION} on one line, ${MAX_ELEMENTS} elements a list, code and icon ${MAX_CODE} characters each.`,
  check: ({ manifest, code, contents }) => [
    ...(manifest ? findManifestProblems(manifest) : []),
    ...(code && isLonger(code.text, MAX_CODE)
      ? [
          createTopProblem(
            code.file,
            `the code has ${countCodePoints(code.text)} characters${describeUnanalyzed(code)}`,
            MAX_CODE,
          ),
        ]
      : []),
    ...contents.icons.flatMap((icon) => {
      const length = icon.state === 'read' ? Math.ceil(icon.bytes.length / 3) * 4 : 0;
      return length > MAX_ICON
        ? [createTopProblem(icon.file, `the icon has ${length} characters as base64`, MAX_ICON)]
        : [];
    }),
  ],
};

/** In a large bundle, only the formula's own files are analyzed. */
const describeUnanalyzed = ({ text, facts }: NonNullable<Subject['code']>) =>
  text.length > MAX_ANALYZED_CHARACTERS && !facts.analysis
    ? ` (more than ${MAX_ANALYZED_CHARACTERS} are not analyzed)`
    : '';

const formatMessage = (found: string, limit: number) => `${found}; a known service allows ${limit}`;

const createTopProblem = (file: string, found: string, limit: number): Problem => ({
  file,
  position: { line: 1, column: 1 },
  message: formatMessage(found, limit),
});

function findManifestProblems(manifest: Manifest): Problem[] {
  const value = manifest.value as Record<string, unknown> | null | undefined;
  if (typeof value !== 'object' || value === null) return [];
  const createProblem = (path: JsonPath, found: string, limit: number): Problem => ({
    file: 'manifest.json',
    position: manifest.locate(path),
    message: formatMessage(`${formatJsonPath(path)} has ${found}`, limit),
  });
  const problems = checkLength(value['description'], MAX_DESCRIPTION, (length) =>
    createProblem(['description'], length, MAX_DESCRIPTION),
  );
  for (const list of ['configuration', 'request_parameters']) {
    const elements = value[list];
    if (!Array.isArray(elements)) continue;
    if (elements.length > MAX_ELEMENTS)
      problems.push(createProblem([list], `${elements.length} elements`, MAX_ELEMENTS));
    for (const [i, element] of (elements as Record<string, unknown>[]).slice(0, MOST_CHECKED).entries()) {
      problems.push(
        ...checkLength(element?.['name'], MAX_ELEMENT_NAME, (length) =>
          createProblem([list, i, 'name'], length, MAX_ELEMENT_NAME),
        ),
      );
      problems.push(
        ...checkDescription(element?.['description'], (found) =>
          createProblem([list, i, 'description'], found, MAX_ELEMENT_DESCRIPTION),
        ),
      );
    }
  }
  return problems;
}

function checkLength(text: unknown, limit: number, toProblem: (found: string) => Problem): Problem[] {
  return typeof text === 'string' && isLonger(text, limit) ? [toProblem(`${countCodePoints(text)} characters`)] : [];
}

function checkDescription(text: unknown, toProblem: (found: string) => Problem): Problem[] {
  if (typeof text === 'string' && /[\r\n]/.test(text))
    return [toProblem(`more than one line (${countCodePoints(text)} characters)`)];
  return checkLength(text, MAX_ELEMENT_DESCRIPTION, toProblem);
}

export const limitRules: readonly Rule[] = [limitsKnown];
