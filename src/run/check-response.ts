/** Validates the response of an invocation (spec 2.6). Pure. */
import { describeType, isObject } from '../text/json-type.ts';

export interface ResponseCheck {
  errors: string[];
  warnings: string[];
}

/** `undefined` means that the function returned no value. */
export function checkResponse(response: unknown): ResponseCheck {
  if (!isObject(response)) {
    return {
      errors: [`the function must return an object with raw, tokenize, or both (got ${describeType(response)})`],
      warnings: [],
    };
  }
  const result: ResponseCheck = { errors: [], warnings: [] };
  for (const key of ['raw', 'tokenize'] as const) {
    const value = response[key];
    if (value === undefined || isObject(value)) continue;
    const message = `${key} must be an object (got ${describeType(value)})`;
    const isTolerated = value === null || (key === 'raw' && typeof value === 'string');
    result[isTolerated ? 'warnings' : 'errors'].push(message);
  }
  const others = Object.keys(response).filter((key) => key !== 'raw' && key !== 'tokenize');
  for (const key of others)
    result.warnings.push(`unknown key ${JSON.stringify(key)} in the response (expected raw or tokenize)`);
  if (response['raw'] === undefined && response['tokenize'] === undefined)
    result.warnings.push('the response has neither raw nor tokenize, so the invocation returns nothing');
  return result;
}
