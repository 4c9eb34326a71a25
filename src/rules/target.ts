/** Rules about what the code needs from the service: APIs of Node.js 16, and files, which are not sent. */
import type { LocalFile } from '../code/local-files.ts';
import type { MissingApi } from '../code/node16/missing-apis.ts';
import { createCodeFinding, type Rule, type RuleFinding } from './rule.ts';

const REPLACEMENTS: Readonly<Record<string, string>> = {
  fetch: "require('https'), or a package such as node-fetch",
  Headers: 'a package such as node-fetch has it',
  Request: 'a package such as node-fetch has it',
  Response: 'a package such as node-fetch has it',
  FormData: 'a package such as form-data, or new URLSearchParams(…)',
  structuredClone: "require('v8').deserialize(require('v8').serialize(value))",
  crypto: "const crypto = require('crypto'), or const { webcrypto: crypto } = require('crypto')",
  CryptoKey: "const { webcrypto } = require('crypto')",
  SubtleCrypto: "const { webcrypto } = require('crypto')",
  Blob: "const { Blob } = require('buffer')",
  BroadcastChannel: "const { BroadcastChannel } = require('worker_threads')",
  ReadableStream: "const { ReadableStream } = require('stream/web')",
  WritableStream: "const { WritableStream } = require('stream/web')",
  TransformStream: "const { TransformStream } = require('stream/web')",
  WebSocket: 'a package such as ws',
  v: 'the flag u',
  '.findLast()': '[...list].reverse().find(…)',
  '.findLastIndex()': 'a loop from the end',
  '.toSorted()': '[...list].sort(…)',
  '.toReversed()': '[...list].reverse()',
  '.toSpliced()': 'splice(…) on a copy: [...list]',
  '.with()': 'an assignment to a copy: [...list]',
  'Object.groupBy': 'list.reduce(…)',
  'Map.groupBy': 'list.reduce(…)',
  'Array.fromAsync': 'for await (…)',
  'Promise.withResolvers': 'new Promise((resolve, reject) => …)',
  'Promise.try': '(async () => …)()',
  'URL.canParse': 'new URL(…) in try and catch',
  'Symbol.dispose': 'try and finally',
  'Symbol.asyncDispose': 'try and finally',
  'URL.parse': 'new URL(…) in try and catch',
};

const NAMES: Readonly<Record<MissingApi['kind'], (what: string) => string>> = {
  global: (what) => `the global ${what}`,
  member: (what) => what,
  method: (what) => `the method ${what}`,
  module: (what) => `the module ${what}`,
  flag: (what) => `the regular expression flag ${what}`,
};

const codeTargetGlobal: Rule = {
  id: 'code-target-global',
  level: 'warning',
  description:
    'The code uses a global, method, or module that Node.js 16 lacks, without a polyfill or guard (`typeof`, `?.()`, `in`).',
  check: ({ code }) => {
    if (!code?.facts.analysis) return [];
    const own = code.facts.analysis.missingApis.filter(({ packageName }) => packageName === undefined);
    return own.map(({ kind, what, at }): RuleFinding => {
      const replacement = REPLACEMENTS[what];
      const message = `${NAMES[kind](what)} is not in Node.js 16, the runtime of the service`;
      return createCodeFinding(code, at, message, replacement === undefined ? {} : { fix: replacement });
    });
  },
};

export const targetRules: readonly Rule[] = [codeTargetGlobal];

const MESSAGES: Readonly<Record<LocalFile['kind'], (what: string, file: string) => string>> = {
  load: (what, file) => `${file} loads ${JSON.stringify(what)}, but only ${file} is sent to the service`,
  path: (what, file) => `${file} loads a path made from ${what}, but only ${file} is sent to the service`,
  read: (what, file) => `${file} reads a file next to it (${what}), but only the code is sent to the service`,
};

const LOAD_FIX = 'Use import in code.mjs or code.ts, which are bundled with the files that they import.';

const codeLocalFile: Rule = {
  id: 'code-local-file',
  level: 'error',
  description:
    'The code loads a file by a relative or absolute path, but only the code is sent; a warning if the load may never run, for a path made from `__dirname`, and for a file that is read.',
  check: ({ code }) =>
    (code?.facts.analysis?.localFiles ?? []).flatMap(({ kind, what, isCertain, at }): RuleFinding[] => {
      // A bundle contains what it loads; a require that is left in it is reported by the bundler.
      if (!code || (code.file !== 'code.js' && kind !== 'read')) return [];
      const fix = kind === 'read' ? 'Put the content into the code.' : LOAD_FIX;
      const level = isCertain ? 'error' : 'warning';
      return [createCodeFinding(code, at, MESSAGES[kind](what, code.file), { fix, level })];
    }),
};

export const localFileRules: readonly Rule[] = [codeLocalFile];
