/** Parses the `doubles` of a test. Pure. */
import { isBuiltin } from 'node:module';
import { isObject } from '../../text/json-type.ts';
import type { JsonPath } from '../../text/json-with-positions.ts';
import { isList, isString, type ReportProblem, rejectUnknownKeys, requireType } from '../cases/value-checks.ts';
import type { Doubles } from './doubles.ts';
import { checkHttpDoubles } from './parse-http-doubles.ts';

const DOUBLES_KEYS = ['bt', 'http', 'modules'];

/** The doubles of a test; problems are reported. */
export function parseDoubles(value: unknown, path: JsonPath, report: ReportProblem): Doubles | undefined {
  if (value === undefined || !requireType(value, isObject, 'an object', path, report)) return undefined;
  rejectUnknownKeys(value, DOUBLES_KEYS, path, 'doubles', report);
  if (value['bt'] !== undefined) checkBt(value['bt'], [...path, 'bt'], report);
  if (value['http'] !== undefined) checkHttpDoubles(value['http'], [...path, 'http'], report);
  if (value['modules'] !== undefined) checkModules(value['modules'], [...path, 'modules'], report);
  return value as Doubles;
}

const METHOD = /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/;

function checkBt(bt: unknown, path: JsonPath, report: ReportProblem): void {
  if (!requireType(bt, isObject, 'an object', path, report)) return;
  for (const [method, outcomes] of Object.entries(bt)) {
    const at = [...path, method];
    if (!METHOD.test(method))
      report(at, `bt has the method ${JSON.stringify(method)}; must be a path such as tokens.create`);
    if (!requireType(outcomes, isList, 'an array of {"returns"} or {"throws"}', at, report)) continue;
    for (const [i, outcome] of outcomes.entries()) checkBtOutcome(outcome, [...at, i], report);
  }
}

function checkBtOutcome(outcome: unknown, path: JsonPath, report: ReportProblem): void {
  if (!isObject(outcome) || 'returns' in outcome === 'throws' in outcome) {
    report(path, 'the outcome of a call must be an object with either returns or throws');
    return;
  }
  rejectUnknownKeys(outcome, ['returns', 'throws'], path, 'the outcome of a call', report);
  if (!('throws' in outcome)) return;
  const at = [...path, 'throws'];
  if (!requireType(outcome['throws'], isObject, 'an object with the members of the error', at, report)) return;
  const { message } = outcome['throws'];
  if (message !== undefined) requireType(message, isString, 'a string', [...at, 'message'], report);
}

function checkModules(modules: unknown, path: JsonPath, report: ReportProblem): void {
  if (!requireType(modules, isObject, 'an object', path, report)) return;
  for (const [name, file] of Object.entries(modules)) {
    const at = [...path, name];
    if (isBuiltin(name)) report(at, `${name} is a module of Node.js, which cannot have a double`);
    const expected = 'the path of a file of the formula such as "./tests/module.js"';
    requireType(file, (value): value is string => isString(value) && value.startsWith('./'), expected, at, report);
  }
}
