/** Provides doubles of modules, and a stand-in for the service's package of error classes. */
import { readFileSync } from 'node:fs';
import NodeModule from 'node:module';
import { dirname } from 'node:path';
import { send } from '../child/channel.ts';
import { wrapLoad } from '../child/watch-loading.ts';

const { stringify } = JSON;

/** `doubles`: paths of CommonJS files by the required name. */
export function provideModules(doubles: Readonly<Record<string, string>>): void {
  const loaded = new Map<string, unknown>();
  const loadOnce = (name: string, load: () => unknown): unknown => {
    if (!loaded.has(name)) loaded.set(name, load());
    return loaded.get(name);
  };
  wrapLoad((name, load) => {
    const double = Object.hasOwn(doubles, name) ? doubles[name] : undefined;
    if (double !== undefined) return loadOnce(name, () => loadDouble(name, double));
    if (!HELPER_PACKAGES.includes(name)) return load();
    try {
      return load();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
      return loadOnce(name, () => loadStandIn(name));
    }
  });
}

function loadDouble(name: string, file: string): unknown {
  send(`{"loaded":${stringify(name)}}`);
  return loadCode(readFileSync(file, 'utf8'), file);
}

function loadStandIn(name: string): object {
  send(`{"standIn":${stringify(name)}}`);
  return createHelperPackage();
}

const HELPER_PACKAGES = [
  '@basis-theory/basis-theory-reactor-formulas-sdk-js',
  '@basis-theory/basistheory-reactor-formulas-sdk-js',
];

/** Messages by field. */
type Errors = Record<string, string[]>;

class BasisTheoryReactorError extends Error {
  readonly status: number;
  readonly errors: Errors | undefined;

  constructor(message = 'Reactor Error', status = 500, errors?: unknown) {
    super(message);
    this.name = 'BasisTheoryReactorError';
    this.status = status;
    this.errors = toErrors(errors);
  }

  toRFC7807(): { detail: string; status: number; errors: Errors | undefined } {
    return { detail: this.message, status: this.status, errors: this.errors };
  }
}

/** A string, an array, or an Error becomes the field `error`. */
function toErrors(value: unknown): Errors | undefined {
  if (value === undefined || value === null) return undefined;
  const error = value instanceof Error ? value.message : value;
  const fields = typeof error !== 'object' || Array.isArray(error) ? { error } : error;
  return Object.fromEntries(Object.entries(fields).map(([key, texts]) => [key, [texts].flat().map(String)]));
}

interface CustomResponse {
  status: number;
  headers?: unknown;
  body?: unknown;
}

class CustomHttpResponseError extends Error {
  readonly status: number;
  readonly headers: unknown;
  readonly body: unknown;

  constructor({ status, headers, body }: CustomResponse) {
    super('Custom HTTP Response');
    if (!Number.isInteger(status) || status < 100 || status > 599)
      throw new TypeError('status must be an integer from 100 to 599');
    this.name = 'CustomHttpResponseError';
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  toResponseBody(): CustomResponse {
    return { status: this.status, headers: this.headers, body: this.body };
  }
}

const CLASSES: Readonly<Record<string, readonly [message: string, status: number]>> = {
  AuthenticationError: ['Authentication Failed', 401],
  AuthorizationError: ['Forbidden', 403],
  BadRequestError: ['Bad Request', 400],
  InvalidPaymentMethodError: ['Invalid Payment Method', 402],
  InvalidReactorConfigurationError: ['Invalid Reactor Configuration', 400],
  RateLimitError: ['Rate Limit Exceeded', 429],
  ReactorRuntimeError: ['Reactor Runtime Error', 500],
  ServiceUnavailableError: ['Service Unavailable', 503],
};

/** The exports of the package. */
function createHelperPackage(): object {
  const classes = Object.entries(CLASSES).map(([name, [message, status]]) => {
    const type = class extends BasisTheoryReactorError {
      constructor(errors?: unknown) {
        super(message, status, errors);
        this.name = name;
      }
    };
    return [name, withName(type, name)];
  });
  return {
    BasisTheoryReactorError: withName(BasisTheoryReactorError, 'BasisTheoryReactorError'),
    CustomHttpResponseError: withName(CustomHttpResponseError, 'CustomHttpResponseError'),
    ...Object.fromEntries(classes),
  };
}

/** Compiling changes the names of classes. */
const withName = <T extends object>(type: T, name: string): T => Object.defineProperty(type, 'name', { value: name });

/** Loads the code as Node.js loads a CommonJS file, whatever its folder's package.json says. */
export function loadCode(code: string, file: string): unknown {
  const Loader = NodeModule as unknown as {
    new (
      id: string,
    ): { filename: string; paths: string[]; exports: unknown; _compile(text: string, file: string): void };
    _nodeModulePaths(folder: string): string[];
  };
  const loaded = new Loader(file);
  loaded.filename = file;
  loaded.paths = Loader._nodeModulePaths(dirname(file));
  loaded._compile(code, file);
  return loaded.exports;
}
