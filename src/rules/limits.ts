/** Limits of a known service that the specification does not have. */
import { MAX_ANALYZED_CHARACTERS } from '../code/code-facts.ts';
import type { Manifest } from '../folder/manifest.ts';
import { countCodePoints } from '../text/code-points.ts';
import { isObject } from '../text/json-type.ts';
import type { JsonPath } from '../text/json-with-positions.ts';
import { formatJsonPath } from '../text/schema-errors.ts';
import { type CheckedCode, createFileFinding, createManifestFinding, type Rule, type RuleFinding } from './rule.ts';

const MAX_DESCRIPTION = 1000;
const MAX_ELEMENT_NAME = 200;
const MAX_ELEMENT_DESCRIPTION = 400;
const MAX_ELEMENTS = 25;
const MAX_CODE = 50_000;
const MAX_ICON = 50_000;

/** A string never has more characters than UTF-16 units, so most need not be counted. */
const isLonger = (text: string, limit: number) => text.length > limit && countCodePoints(text) > limit;

/** In a large bundle, only the formula's own files are analyzed. */
const describeUnanalyzed = ({ text, facts }: CheckedCode) =>
  text.length > MAX_ANALYZED_CHARACTERS && !facts.analysis
    ? ` (more than ${MAX_ANALYZED_CHARACTERS} are not analyzed)`
    : '';

const formatMessage = (found: string, limit: number) => `${found}; a known service allows ${limit}`;

function checkManifestLimits(manifest: Manifest): RuleFinding[] {
  if (!isObject(manifest.value)) return [];
  const value = manifest.value;
  const check = (path: JsonPath, found: string | undefined, limit: number) =>
    found === undefined
      ? []
      : [createManifestFinding(manifest, path, formatMessage(`${formatJsonPath(path)} has ${found}`, limit))];
  return [
    ...check(['description'], measureLength(value['description'], MAX_DESCRIPTION), MAX_DESCRIPTION),
    ...['configuration', 'request_parameters'].flatMap((list) => {
      const elements = value[list];
      if (!Array.isArray(elements)) return [];
      const count = elements.length > MAX_ELEMENTS ? `${elements.length} elements` : undefined;
      return [
        ...check([list], count, MAX_ELEMENTS),
        ...(elements as Record<string, unknown>[]).flatMap((element, i) => [
          ...check([list, i, 'name'], measureLength(element?.['name'], MAX_ELEMENT_NAME), MAX_ELEMENT_NAME),
          ...check([list, i, 'description'], measureDescription(element?.['description']), MAX_ELEMENT_DESCRIPTION),
        ]),
      ];
    }),
  ];
}

/** The length of a text that is too long. */
const measureLength = (text: unknown, limit: number) =>
  typeof text === 'string' && isLonger(text, limit) ? `${countCodePoints(text)} characters` : undefined;

const measureDescription = (text: unknown) =>
  typeof text === 'string' && /[\r\n]/.test(text)
    ? `more than one line (${countCodePoints(text)} characters)`
    : measureLength(text, MAX_ELEMENT_DESCRIPTION);

export const limitRules: readonly Rule[] = [
  {
    id: 'limits-known',
    level: 'note',
    description: `A value exceeds a limit of a known service: description ${MAX_DESCRIPTION} characters, element name ${MAX_ELEMENT_NAME}, element description ${MAX_ELEMENT_DESCRIPTION} on one line, ${MAX_ELEMENTS} elements a list, code and icon ${MAX_CODE} characters each.`,
    check: ({ manifest, code, contents }) => [
      ...(manifest ? checkManifestLimits(manifest) : []),
      ...(code && isLonger(code.text, MAX_CODE)
        ? [
            createFileFinding(
              code.file,
              formatMessage(
                `the code has ${countCodePoints(code.text)} characters${describeUnanalyzed(code)}`,
                MAX_CODE,
              ),
            ),
          ]
        : []),
      ...contents.icons.flatMap((icon) => {
        const length = icon.state === 'read' ? Math.ceil(icon.bytes.length / 3) * 4 : 0;
        return length > MAX_ICON
          ? [createFileFinding(icon.file, formatMessage(`the icon has ${length} characters as base64`, MAX_ICON))]
          : [];
      }),
    ],
  },
];
