/** Styles of formula code: what the analysis says of each, and what each gives on Node.js 16. */

export interface Style {
  title: string;
  code: string;
  /** The parts of the request that are read: `.*` where anything below may be, `?` where it may come from elsewhere. */
  reads: string;
  /** The rules with a finding, but for what is declared and not read. */
  found: string;
  /** The response as JSON, or the error. */
  gives: string;
}

/** The request that all of them get. */
export const REQUEST = {
  args: {
    card: { number: '4242424242424242', expiry: { month: 1, year: 2030 }, holder: 'Ada' },
    amount: 12,
    tags: ['b', 'a'],
    live: true,
  },
  configuration: { API_KEY: 'k', REGION: 'eu', RATE: 2, DEBUG: false },
  bt: null,
};

/** What the manifest declares: all but `tags`. */
export const SETTINGS = ['API_KEY', 'REGION', 'RATE', 'DEBUG'];
export const PARAMETERS = ['card.number', 'card.expiry.month', 'card.expiry.year', 'card.holder', 'amount', 'live'];

export const STYLES: readonly Style[] = [
  {
    title: 'an arrow with both parts taken out',
    code: 'module.exports = async ({ args, configuration }) => ({ raw: { n: args.card.number.slice(-4), r: configuration.REGION } });',
    reads: 'args.card.number.* configuration.REGION.*',
    found: '',
    gives: '{"raw":{"n":"4242","r":"eu"}}',
  },
  {
    title: 'a function with a name',
    code: `module.exports = async function tokenizeCard(req) {
  return { tokenize: { data: req.args.card } };
};`,
    reads: 'args.card.*',
    found: '',
    gives: '{"tokenize":{"data":{"number":"4242424242424242","expiry":{"month":1,"year":2030},"holder":"Ada"}}}',
  },
  {
    title: 'a declaration that is exported at the end',
    code: `async function handler(req) {
  const { card } = req.args;
  return { raw: { month: card.expiry.month } };
}
module.exports = handler;`,
    reads: 'args.card args.card.expiry.month.*',
    found: '',
    gives: '{"raw":{"month":1}}',
  },
  {
    title: 'an export above the declaration',
    code: `module.exports = handler;
async function handler({ args }) {
  return { raw: { amount: args.amount * 2 } };
}`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"amount":24}}',
  },
  {
    title: 'strict mode and requires at the top',
    code: `'use strict';
const crypto = require('crypto');
module.exports = async ({ args }) => ({ raw: { hash: crypto.createHash('sha256').update(args.card.number).digest('hex').slice(0, 8) } });`,
    reads: 'args.card.number.*',
    found: '',
    gives: '{"raw":{"hash":"477bba13"}}',
  },
  {
    title: 'a require inside',
    code: `module.exports = async (req) => {
  const { createHmac } = require('node:crypto');
  return { raw: { mac: createHmac('sha256', req.configuration.API_KEY).update('x').digest('base64').slice(0, 4) } };
};`,
    reads: 'configuration.API_KEY.*',
    found: '',
    gives: '{"raw":{"mac":"w47c"}}',
  },
  {
    title: 'deep parameters with defaults',
    code: `module.exports = async ({ args: { card: { number = '', expiry: { month } = {} } = {}, amount = 0 } = {}, configuration: { RATE = 1 } = {} } = {}) => ({ raw: { number, month, total: amount * RATE } });`,
    reads: 'args.amount.* args.card args.card.expiry args.card.expiry.month.* args.card.number.* configuration.RATE.*',
    found: '',
    gives: '{"raw":{"number":"4242424242424242","month":1,"total":24}}',
  },
  {
    title: 'renamed parts',
    code: 'module.exports = async ({ args: input, configuration: settings }) => ({ raw: { a: input.amount, b: settings.REGION } });',
    reads: 'args.amount.* configuration.REGION.*',
    found: '',
    gives: '{"raw":{"a":12,"b":"eu"}}',
  },
  {
    title: 'an alias in the body',
    code: `module.exports = async (request) => {
  const { args: { card: { holder: name } }, configuration: cfg } = request;
  const { REGION: region } = cfg;
  return { raw: { name, region } };
};`,
    reads: 'args.card args.card.holder.* configuration.REGION.*',
    found: '',
    gives: '{"raw":{"name":"Ada","region":"eu"}}',
  },
  {
    title: 'optional chaining all the way',
    code: 'module.exports = async (req) => ({ raw: { month: req?.args?.card?.expiry?.month ?? 0, none: req.args.address?.street ?? null } });',
    reads: 'args.address.street.* args.card.expiry.month.*',
    found: 'argument-undeclared',
    gives: '{"raw":{"month":1,"none":null}}',
  },
  {
    title: 'names in brackets',
    code: `module.exports = async (req) => ({ raw: { n: req['args']['card']['number'], k: req.configuration[\`REGION\`] } });`,
    reads: 'args.card.number.* configuration.REGION.*',
    found: '',
    gives: '{"raw":{"n":"4242424242424242","k":"eu"}}',
  },
  {
    title: 'constants as names',
    code: `const KEY = 'REGION';
const FIELD = \`amount\`;
module.exports = async ({ args, configuration }) => ({ raw: { r: configuration[KEY], a: args[FIELD] } });`,
    reads: 'args.amount.* configuration.REGION.*',
    found: '',
    gives: '{"raw":{"r":"eu","a":12}}',
  },
  {
    title: 'a list of names',
    code: `const FIELDS = ['amount', 'live'];
module.exports = async ({ args }) => ({ raw: Object.fromEntries(FIELDS.map((field) => [field, args[field]])) });`,
    reads: 'args.*',
    found: '',
    gives: '{"raw":{"amount":12,"live":true}}',
  },
  {
    title: 'a helper that gets a value',
    code: `const mask = (text) => '*'.repeat(text.length - 4) + text.slice(-4);
module.exports = async ({ args }) => ({ raw: { masked: mask(args.card.number) } });`,
    reads: 'args.card.number.*',
    found: '',
    gives: '{"raw":{"masked":"************4242"}}',
  },
  {
    title: 'a helper that gets the arguments',
    code: `function check(args) {
  if (!args.card) throw new Error('no card');
  return args.card.number;
}
module.exports = async ({ args, configuration }) => ({ raw: { n: check(args), r: configuration.REGION } });`,
    reads: 'args.* configuration.REGION.*',
    found: '',
    gives: '{"raw":{"n":"4242424242424242","r":"eu"}}',
  },
  {
    title: 'a helper that gets the request',
    code: `const run = async ({ args, configuration }) => ({ raw: { a: args.amount, r: configuration.RATE } });
module.exports = async (req) => run(req);`,
    reads: '*',
    found: '',
    gives: '{"raw":{"a":12,"r":2}}',
  },
  {
    title: 'a helper above that is called by name',
    code: `const total = ({ amount }, rate) => amount * rate;
module.exports = async ({ args, configuration: { RATE } }) => ({ raw: { total: total(args, RATE) } });`,
    reads: 'args.* configuration.RATE.*',
    found: '',
    gives: '{"raw":{"total":24}}',
  },
  {
    title: 'an error class with a status',
    code: `class CardError extends Error {
  constructor(message, status) {
    super(message);
    this.name = 'CardError';
    this.status = status;
  }
}
module.exports = async ({ args }) => {
  if (args.amount > 10) throw new CardError('too much', 422);
  return { raw: {} };
};`,
    reads: 'args.amount.*',
    found: '',
    gives: 'CardError: too much (422)',
  },
  {
    title: 'an error with errors by field',
    code: `module.exports = async ({ args }) => {
  const errors = {};
  if (!args.card.cvc) errors['card.cvc'] = ['is missing'];
  if (Object.keys(errors).length) throw Object.assign(new Error('invalid'), { status: 400, errors });
  return { raw: {} };
};`,
    reads: 'args.card.cvc',
    found: 'argument-undeclared',
    gives: 'Error: invalid (400)',
  },
  {
    title: 'try and catch',
    code: `module.exports = async ({ args }) => {
  try {
    return { raw: { parsed: JSON.parse(args.card.holder) } };
  } catch (error) {
    return { raw: { error: error.name } };
  } finally {
    await null;
  }
};`,
    reads: 'args.card.holder.*',
    found: '',
    gives: '{"raw":{"error":"SyntaxError"}}',
  },
  {
    title: 'a class that does the work',
    code: `class Tokenizer {
  #rate;
  constructor({ RATE }) { this.#rate = RATE; }
  total(amount) { return amount * this.#rate; }
}
module.exports = async ({ args, configuration }) => ({ raw: { total: new Tokenizer(configuration).total(args.amount) } });`,
    reads: 'args.amount.* configuration.*',
    found: '',
    gives: '{"raw":{"total":24}}',
  },
  {
    title: 'a method of an instance, bound',
    code: `class Handler {
  constructor() { this.prefix = 'x'; }
  async run({ args }) { return { raw: { id: this.prefix + args.amount } }; }
}
const handler = new Handler();
module.exports = handler.run.bind(handler);`,
    reads: 'cannot be told',
    found: '',
    gives: '{"raw":{"id":"x12"}}',
  },
  {
    title: 'an instance behind an arrow',
    code: `class Handler { async run(req) { return { raw: { a: req.args.amount } }; } }
module.exports = (req) => new Handler().run(req);`,
    reads: '*',
    found: '',
    gives: '{"raw":{"a":12}}',
  },
  {
    title: 'a wrapped handler',
    code: `const withName = (handler) => async (req) => ({ raw: { name: 'wrapped', ...(await handler(req)) } });
module.exports = withName(async ({ args }) => ({ a: args.amount }));`,
    reads: 'cannot be told',
    found: '',
    gives: '{"raw":{"name":"wrapped","a":12}}',
  },
  {
    title: 'a bound function',
    code: `async function handle({ args }) { return { raw: { a: args.amount } }; }
module.exports = handle.bind(null);`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"a":12}}',
  },
  {
    title: 'extras on the export',
    code: `module.exports = async ({ args }) => ({ raw: { a: args.amount } });
module.exports.version = 2;
module.exports.helper = (x) => x;`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"a":12}}',
  },
  {
    title: 'both names of the export',
    code: 'exports = module.exports = async ({ configuration }) => ({ raw: { r: configuration.REGION } });',
    reads: 'configuration.REGION.*',
    found: '',
    gives: '{"raw":{"r":"eu"}}',
  },
  {
    title: 'an export in brackets',
    code: `module['exports'] = async ({ args: { amount } }) => ({ raw: { amount } });`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"amount":12}}',
  },
  {
    title: 'a frozen export',
    code: 'module.exports = Object.freeze(async ({ args }) => ({ raw: { live: args.live } }));',
    reads: 'args.live.*',
    found: '',
    gives: '{"raw":{"live":true}}',
  },
  {
    title: 'a promise without async',
    code: 'module.exports = (req) => Promise.resolve({ raw: { a: req.args.amount } });',
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"a":12}}',
  },
  {
    title: 'a chain of promises',
    code: 'module.exports = ({ args }) => Promise.all([args.amount, 2]).then(([a, b]) => ({ raw: { sum: a + b } }));',
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"sum":14}}',
  },
  {
    title: 'awaits in a row and at once',
    code: `const later = (x) => new Promise((resolve) => setImmediate(resolve, x));
module.exports = async ({ args }) => {
  const [a, b] = await Promise.all([later(args.amount), later(args.live)]);
  for await (const c of [later(1)]) if (c) return { raw: { a, b, c } };
};`,
    reads: 'args.amount.* args.live.*',
    found: '',
    gives: '{"raw":{"a":12,"b":true,"c":1}}',
  },
  {
    title: 'a loop over entries',
    code: `module.exports = async ({ args }) => {
  const raw = {};
  for (const [key, value] of Object.entries(args.card)) raw[key] = typeof value;
  return { raw };
};`,
    reads: 'args.card.*',
    found: '',
    gives: '{"raw":{"number":"string","expiry":"object","holder":"string"}}',
  },
  {
    title: 'a loop over all arguments',
    code: `module.exports = async ({ args }) => {
  let count = 0;
  for (const key in args) count += key.length;
  return { raw: { count } };
};`,
    reads: 'args.*',
    found: '',
    gives: '{"raw":{"count":18}}',
  },
  {
    title: 'arguments spread into the answer',
    code: 'module.exports = async ({ args, configuration }) => ({ raw: { ...args, region: configuration.REGION } });',
    reads: 'args.* configuration.REGION.*',
    found: '',
    gives:
      '{"raw":{"card":{"number":"4242424242424242","expiry":{"month":1,"year":2030},"holder":"Ada"},"amount":12,"tags":["b","a"],"live":true,"region":"eu"}}',
  },
  {
    title: 'the rest of the arguments',
    code: 'module.exports = async ({ args: { card, ...rest } }) => ({ raw: rest, tokenize: { number: card.number } });',
    reads: 'args.* args.card args.card.number.*',
    found: '',
    gives: '{"raw":{"amount":12,"tags":["b","a"],"live":true},"tokenize":{"number":"4242424242424242"}}',
  },
  {
    title: 'an array that nobody declared',
    code: 'module.exports = async ({ args }) => ({ raw: { first: args.tags[0], count: args.tags.length } });',
    reads: 'args.tags.0.* args.tags.length.*',
    found: 'argument-undeclared',
    gives: '{"raw":{"first":"b","count":2}}',
  },
  {
    title: 'arguments that are changed',
    code: `module.exports = async (req) => {
  req.args.amount = Number(req.args.amount) + 1;
  req.args.note = 'x';
  return { raw: { a: req.args.amount, note: req.args.note } };
};`,
    reads: 'args.amount.* args.note.*',
    found: '',
    gives: '{"raw":{"a":13,"note":"x"}}',
  },
  {
    title: 'a default for settings',
    code: `const DEFAULTS = { REGION: 'us', LIMIT: 5 };
module.exports = async ({ configuration }) => {
  const settings = { ...DEFAULTS, ...configuration };
  return { raw: { r: settings.REGION, l: settings.LIMIT } };
};`,
    reads: 'configuration.*',
    found: '',
    gives: '{"raw":{"r":"eu","l":5}}',
  },
  {
    title: 'a fallback for each setting',
    code: `module.exports = async ({ configuration }) => {
  const { REGION = 'us', LIMIT = 5 } = configuration;
  return { raw: { r: REGION, l: LIMIT } };
};`,
    reads: 'configuration.LIMIT.* configuration.REGION.*',
    found: 'configuration-undeclared',
    gives: '{"raw":{"r":"eu","l":5}}',
  },
  {
    title: 'a question for a setting',
    code: `module.exports = async ({ configuration }) => ({ raw: { has: 'DEBUG' in configuration, debug: configuration.DEBUG === true } });`,
    reads: 'configuration.DEBUG configuration.DEBUG?',
    found: '',
    gives: '{"raw":{"has":true,"debug":false}}',
  },
  {
    title: 'settings kept in the file',
    code: `let settings;
const region = () => settings.REGION;
module.exports = async ({ configuration }) => {
  settings = configuration;
  return { raw: { r: region() } };
};`,
    reads: 'configuration.REGION.*?',
    found: '',
    gives: '{"raw":{"r":"eu"}}',
  },
  {
    title: 'settings as a map',
    code: `module.exports = async ({ configuration }) => {
  const map = new Map(Object.entries(configuration));
  return { raw: { r: map.get('REGION') } };
};`,
    reads: 'configuration.*',
    found: '',
    gives: '{"raw":{"r":"eu"}}',
  },
  {
    title: 'var and functions of old',
    code: `var self = {};
self.run = function (req, done) {
  var args = req.args;
  done(null, { raw: { a: args.amount } });
};
module.exports = function (req) {
  return new Promise(function (resolve, reject) {
    self.run(req, function (error, result) {
      if (error) return reject(error);
      resolve(result);
    });
  });
};`,
    reads: '*',
    found: '',
    gives: '{"raw":{"a":12}}',
  },
  {
    title: 'arguments by their number',
    code: `module.exports = async function () {
  return { raw: { a: arguments[0].args.amount } };
};`,
    reads: '*',
    found: '',
    gives: '{"raw":{"a":12}}',
  },
  {
    title: 'the client of the service',
    code: `module.exports = async ({ args, bt }) => {
  const token = bt ? await bt.tokens.create({ data: args.card }) : { id: 'none' };
  return { raw: { token: token.id } };
};`,
    reads: 'args.card.*',
    found: '',
    gives: '{"raw":{"token":"none"}}',
  },
  {
    title: 'node-fetch under the name fetch',
    code: `module.exports = async ({ args, configuration }) => {
  const fetch = await load();
  const answer = await fetch('https://api/' + args.amount, { headers: { Authorization: 'Bearer ' + configuration.API_KEY } });
  return { raw: await answer.json() };
};
async function load() {
  return async (url, options) => ({ json: async () => ({ url, auth: options.headers.Authorization }) });
}`,
    reads: 'args.amount.* configuration.API_KEY.*',
    found: '',
    gives: '{"raw":{"url":"https://api/12","auth":"Bearer k"}}',
  },
  {
    title: 'a package that may be missing',
    code: `let forge;
try { forge = require('node-forge'); } catch { forge = undefined; }
module.exports = async () => ({ raw: { forge: typeof forge } });`,
    reads: '',
    found: '',
    gives: '{"raw":{"forge":"undefined"}}',
  },
  {
    title: 'fetch where there is one',
    code: `module.exports = async ({ args }) => {
  if (typeof fetch === 'undefined') return { raw: { fetch: false, a: args.amount } };
  return { raw: await (await fetch('x')).json() };
};`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"fetch":false,"a":12}}',
  },
  {
    title: 'a clone with a fallback',
    code: `const clone = globalThis.structuredClone || ((value) => JSON.parse(JSON.stringify(value)));
module.exports = async ({ args }) => ({ raw: clone(args.card) });`,
    reads: 'args.card.*',
    found: '',
    gives: '{"raw":{"number":"4242424242424242","expiry":{"month":1,"year":2030},"holder":"Ada"}}',
  },
  {
    title: 'URLSearchParams and Buffer',
    code: `module.exports = async ({ args }) => {
  const form = new URLSearchParams({ amount: args.amount });
  form.append('live', args.live);
  return { raw: { form: form.toString(), basic: Buffer.from('a:b').toString('base64') } };
};`,
    reads: 'args.amount.* args.live.*',
    found: '',
    gives: '{"raw":{"form":"amount=12&live=true","basic":"YTpi"}}',
  },
  {
    title: 'dates, numbers and intl',
    code: `module.exports = async ({ args }) => ({ raw: { date: new Date(Date.UTC(args.card.expiry.year, 0)).toISOString(), price: new Intl.NumberFormat('en-US').format(args.amount) } });`,
    reads: 'args.amount.* args.card.expiry.year.*',
    found: '',
    gives: '{"raw":{"date":"2030-01-01T00:00:00.000Z","price":"12"}}',
  },
  {
    title: 'what ECMAScript 2022 has',
    code: `class Counter {
  static #count = 0;
  static { Counter.#count = 40; }
  static next() { return (Counter.#count += 1_0); }
}
module.exports = async ({ args }) => {
  let a = null;
  a ??= args.amount;
  a &&= a + Counter.next();
  return { raw: { a, last: [1, 2].at(-1), own: Object.hasOwn(args, 'live'), all: 'a-b'.replaceAll('-', '') } };
};`,
    reads: 'args.* args.amount.*? args.amount?',
    found: '',
    gives: '{"raw":{"a":62,"last":2,"own":true,"all":"ab"}}',
  },
  {
    title: 'a generator that is driven',
    code: `function* numbers(limit) { for (let i = 0; i < limit; i++) yield i; }
module.exports = async ({ args }) => ({ raw: { list: [...numbers(args.amount)].length } });`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"list":12}}',
  },
  {
    title: 'a regular expression with names',
    code: `module.exports = async ({ args }) => {
  const { groups } = /^(?<bin>\\d{6})\\d+(?<last>\\d{4})$/.exec(args.card.number);
  return { raw: { ...groups } };
};`,
    reads: 'args.card.number.*',
    found: '',
    gives: '{"raw":{"bin":"424242","last":"4242"}}',
  },
  {
    title: 'a switch with labels',
    code: `module.exports = async ({ args, configuration }) => {
  outer: for (;;) {
    switch (configuration.REGION) {
      case 'eu': break outer;
      default: throw new Error(args.card.number);
    }
  }
  return { raw: { done: true } };
};`,
    reads: 'args.card.number.* configuration.REGION',
    found: '',
    gives: '{"raw":{"done":true}}',
  },
  {
    title: 'shadowed names',
    code: `module.exports = async ({ args }) => {
  const list = [{ args: { x: 1 } }].map(({ args }) => args.x);
  return { raw: { list, a: args.amount } };
};`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"list":[1],"a":12}}',
  },
  {
    title: 'a dynamic import',
    code: `module.exports = async ({ args }) => {
  const { default: path } = await import('path');
  return { raw: { base: path.basename('/a/' + args.amount) } };
};`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"base":"12"}}',
  },
  {
    title: 'a return at the top',
    code: `module.exports = async ({ args }) => ({ raw: { a: args.amount } });
return;`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"a":12}}',
  },
  {
    title: 'a check at the top',
    code: `module.exports = async ({ args }) => ({ raw: { a: args.amount } });
if (require.main === module) module.exports({ args: {} }).then(console.log);`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"a":12}}',
  },
  {
    title: 'an immediately called function around all',
    code: `(function () {
  const rate = 3;
  module.exports = async ({ args }) => ({ raw: { total: args.amount * rate } });
})();`,
    reads: 'cannot be told',
    found: '',
    gives: '{"raw":{"total":36}}',
  },
  {
    title: 'bundled code',
    code: `var __defProp = Object.defineProperty;
var lib = {};
__defProp(lib, 'twice', { get: () => twice, enumerable: true });
function twice(x) { return x * 2; }
var code_default = async ({ args }) => ({ raw: { a: lib.twice(args.amount) } });
module.exports = code_default;`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"a":24}}',
  },
  {
    title: 'a setting that nobody declared',
    code: 'module.exports = async ({ configuration }) => ({ raw: { t: configuration.TIMEOUT === undefined } });',
    reads: 'configuration.TIMEOUT',
    found: 'configuration-undeclared',
    gives: '{"raw":{"t":true}}',
  },
  {
    title: 'fetch, which Node.js 16 lacks',
    code: `module.exports = async ({ args }) => ({ raw: await (await fetch('https://api/' + args.amount)).json() });`,
    reads: 'args.amount.*',
    found: 'code-target-global',
    gives: 'ReferenceError: fetch is not defined',
  },
  {
    title: 'structuredClone, which it lacks',
    code: 'module.exports = async ({ args }) => ({ raw: structuredClone(args.card) });',
    reads: 'args.card.*',
    found: 'code-target-global',
    gives: 'ReferenceError: structuredClone is not defined',
  },
  {
    title: 'methods of arrays that it lacks',
    code: 'module.exports = async ({ args }) => ({ raw: { last: args.tags.findLast(Boolean), sorted: args.tags.toSorted() } });',
    reads: 'args.tags.*',
    found: 'argument-undeclared code-target-global code-target-global',
    gives: 'TypeError: args.tags.findLast is not a function',
  },
  {
    title: 'an own method of the same name',
    code: `class List {
  constructor(items) { this.items = items; }
  findLast(test) { return this.items.filter(test).pop(); }
}
module.exports = async ({ args }) => ({ raw: { last: new List(args.tags).findLast(Boolean) } });`,
    reads: 'args.tags.*',
    found: 'argument-undeclared',
    gives: '{"raw":{"last":"a"}}',
  },
  {
    title: 'the web crypto by its name',
    code: `const { webcrypto: crypto } = require('crypto');
module.exports = async ({ args }) => ({ raw: { bytes: crypto.getRandomValues(new Uint8Array(args.amount)).length } });`,
    reads: 'args.amount.*',
    found: '',
    gives: '{"raw":{"bytes":12}}',
  },
  {
    title: 'the global crypto, which it lacks',
    code: 'module.exports = async ({ args }) => ({ raw: { id: crypto.randomUUID().length, a: args.amount } });',
    reads: 'args.amount.*',
    found: 'code-target-global',
    gives: 'ReferenceError: crypto is not defined',
  },
  {
    title: 'a synchronous function',
    code: 'module.exports = ({ args }) => ({ raw: { a: args.amount } });',
    reads: 'args.amount.*',
    found: 'code-sync',
    gives: '{"raw":{"a":12}}',
  },
];
