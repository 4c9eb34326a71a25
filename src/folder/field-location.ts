/** Locates a field that a service names in an error, in the formula folder. Pure. */

import { MANIFEST_FIELDS } from '../formula-fields.ts';
import { type JsonPath, parseJsonWithPositions } from '../text/json-with-positions.ts';
import type { Position } from '../text/source-position.ts';

const FILE_FIELDS = ['code', 'icon'] as const;

/** The path of a field in the manifest, or its file. */
export type FieldLocation = { path: JsonPath } | { file: (typeof FILE_FIELDS)[number] };

/**
 * Reads `request_parameters[0].type`, `RequestParameters.0.Type`, `$.name`, `/configuration/0/type`, `body.name` and
 * the like. Undefined for a field that no folder has.
 */
export function parseFieldLocation(field: string): FieldLocation | undefined {
  const steps = field
    .split(/[./[\]"'#$\s]+/)
    .filter((step) => step !== '')
    .map((step) => (/^\d{1,6}$/.test(step) ? Number(step) : toSnakeCase(step)));
  const file = FILE_FIELDS.find((name) => steps[0] === name);
  if (file) return { file };
  // Some services prefix the name with the body or the formula.
  const start = steps.findIndex((step, i) => i < 2 && typeof step === 'string' && MANIFEST_FIELDS.includes(step));
  return start < 0 ? undefined : { path: steps.slice(start) };
}

/** The position of a path in a manifest; of a missing one, that of its nearest parent. */
export function createManifestLookup(manifest: string): (path: JsonPath) => Position {
  return parseJsonWithPositions(manifest).locate;
}

const toSnakeCase = (step: string) => step.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
