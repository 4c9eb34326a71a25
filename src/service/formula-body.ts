/** Validates the body of a create or update (spec 4.2): the manifest's schema, code, and icon. */
import validateManifest from '../generated/manifest-validator.js';
import type { ConfigurationElement, FormulaBody, RequestParameter } from '../model.ts';
import { isObject, type JsonObject } from '../text/json-type.ts';
import { pick } from '../text/pick.ts';
import { formatJsonPath, formatPredicate, parsePointer } from '../text/schema-errors.ts';
import { type FieldErrors, invalidRequestProblem } from './problem.ts';

/** A body in which missing fields are null or empty. */
export type ValidatedBody = FormulaBody & { description: string | null; icon: string | null };

const ELEMENT_KEYS = ['name', 'description', 'type', 'optional'] as const;

/**
 * Returns the body without unknown keys.
 * @throws HttpProblem 400 with the errors by field.
 */
export function parseFormulaBody(input: JsonObject): ValidatedBody {
  const manifest = {
    ...pick(input, ['name', 'description', 'type']),
    configuration: pickElements(input['configuration'], ELEMENT_KEYS.slice(0, 3)),
    request_parameters: pickElements(input['request_parameters'], ELEMENT_KEYS),
  };
  const errors = findManifestErrors(manifest);
  const { code, icon } = input;
  if (code === undefined) errors['code'] = ['is required'];
  else if (typeof code !== 'string') errors['code'] = ['must be a string'];
  if (!isValidIcon(icon)) errors['icon'] = ['must be a base64 data URL of an image/png, image/jpg or image/jpeg'];
  if (Object.keys(errors).length > 0) throw invalidRequestProblem(errors);
  const validated = manifest as JsonObject & Omit<ValidatedBody, 'code' | 'icon'>;
  return {
    name: validated.name,
    description: validated.description ?? null,
    type: validated.type,
    icon: typeof icon === 'string' && icon !== '' ? icon : null,
    code: code as string,
    configuration: validated.configuration satisfies ConfigurationElement[],
    request_parameters: validated.request_parameters satisfies RequestParameter[],
  };
}

function pickElements(list: unknown, keys: readonly string[]): unknown {
  if (!Array.isArray(list)) return list ?? [];
  return list.map((element: unknown) => (isObject(element) ? pick(element, keys) : element));
}

function findManifestErrors(manifest: JsonObject): FieldErrors {
  const errors: FieldErrors = {};
  if (validateManifest(manifest)) return errors;
  for (const { instancePath, keyword, params, parentSchema } of validateManifest.errors ?? []) {
    const missing = keyword === 'required' ? [String(params['missingProperty'])] : [];
    const field = formatJsonPath([...parsePointer(instancePath, manifest), ...missing]);
    // One error per field: an empty name is also a blank one.
    errors[field] ??= [keyword === 'pattern' ? `${parentSchema?.errorMessage}` : formatPredicate(keyword, params)];
  }
  return errors;
}

const DATA_URL_PREFIX = /^data:image\/(?:png|jpg|jpeg);base64, ?/;

/** True for a valid icon or none (null, missing, empty). The image itself is not checked. */
function isValidIcon(icon: unknown): boolean {
  if (icon === undefined || icon === null || icon === '') return true;
  if (typeof icon !== 'string') return false;
  const prefixLength = DATA_URL_PREFIX.exec(icon)?.[0].length;
  if (prefixLength === undefined || icon.length === prefixLength || (icon.length - prefixLength) % 4 !== 0)
    return false;
  const padding = icon.endsWith('==') ? 2 : icon.endsWith('=') ? 1 : 0;
  return !/[^A-Za-z0-9+/]/.test(icon.slice(prefixLength, icon.length - padding));
}
