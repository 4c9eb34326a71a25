/** Validates requests, with errors by parameter such as `args.card.number`. Pure. */
import type { FormulaBody } from '../model.ts';
import { findArgsDeviations, findConfigurationDeviations } from '../run/validate-request.ts';
import { isObject } from '../text/json-type.ts';

/** Validates both values against the manifest; empty if they match. */
export function findRequestErrors(
  args: unknown,
  configuration: unknown,
  { request_parameters: parameters, configuration: elements }: FormulaBody,
): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  const add = (name: string, deviations: readonly { message: string }[]) => {
    if (deviations.length > 0) errors[name] = deviations.map(({ message }) => message);
  };
  if (parameters.length === 0 || !isObject(args)) add('args', findArgsDeviations(args, parameters));
  else for (const one of parameters) add(`args.${one.name}`, findArgsDeviations(args, [one]));
  if (!isObject(configuration)) add('configuration', findConfigurationDeviations(configuration, elements));
  else for (const one of elements) add(`configuration.${one.name}`, findConfigurationDeviations(configuration, [one]));
  return errors;
}
