/** Responses for formulas that cannot run, or whose code failed. */
import type { CheckResult } from '../check/check-folder.ts';
import type { InvocationFailure } from '../run/failure.ts';
import { formatFailureFrame } from '../run/stack-frames.ts';
import { FRAME_WIDTH } from './list-formulas.ts';

const MAX_FINDINGS = 100;

/** The errors of an invalid folder, with the place of the first. */
export function describeInvalid({ findings, folder }: CheckResult): object {
  const errors = findings.filter(({ level }) => level === 'error').slice(0, MAX_FINDINGS);
  const [first] = errors;
  const location = first && { file: first.file, line: first.line, column: first.column };
  return { message: `${folder} is not a valid formula; the code was not run`, location, findings: errors };
}

/** The message and location of a failure, with the lines around it. */
export async function describeFailure(
  failure: InvocationFailure,
  path: string,
  { bundle }: CheckResult,
): Promise<object> {
  const { message, hint, locations, thrown } = failure;
  const frame = (await formatFailureFrame(failure, path, bundle, FRAME_WIDTH)).slice(1);
  const [location] = locations;
  const error = thrown && {
    ...(thrown.isError && { name: thrown.name }),
    message: thrown.message,
    status: thrown.status,
    errors: thrown.errors,
  };
  return { message, hint, location, ...(frame && { frame }), error };
}
