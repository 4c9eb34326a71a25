/** The help topics: formulary help exit-codes, environment, output, files. */
import { EXIT_CODES, type Outcome } from '../errors.ts';
import { formatDefinitionList, wrap } from '../output/wrap.ts';

/** A topic: paragraphs, and rows of a word and what it means. */
type Topic = readonly (string | Rows)[];

type Rows = readonly (readonly [word: string, meaning: string])[];

/** Wider lines are hard to read. */
const MAX_WIDTH = 100;

/** The text of a topic for a terminal of so many columns, or undefined when there is none of that name. */
export function formatTopic(name: string, columns: number): string | undefined {
  if (!Object.hasOwn(TOPICS, name)) return undefined;
  const width = Math.min(columns, MAX_WIDTH);
  const parts = TOPICS[name]?.() ?? [];
  const texts = parts.map((part) =>
    typeof part === 'string' ? wrap(part, width) : formatDefinitionList(part, { width, indent: 2, keepsWords: true }),
  );
  return `${texts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

const TOPICS: Readonly<Record<string, () => Topic>> = {
  'exit-codes': () => [
    'Exit codes',
    Object.entries(EXIT_CODES).map(([name, code]) => [
      `${String(code).padEnd(3)}  ${name}`,
      EXIT_CODE_MEANINGS[name as Outcome],
    ]),
    EXIT_CODE_NOTE,
  ],
  environment: () => ['Environment', VARIABLES, ...ENVIRONMENT_NOTES],
  output: () => OUTPUT,
  files: () => [
    'Files of a formula folder',
    FOLDER_FILES,
    'Files beside formula folders',
    PROJECT_FILES,
    'Files of the user',
    USER_FILES,
    WINDOWS_NOTE,
  ],
};

/** The words behind `formulary help`. */
export const TOPIC_NAMES = Object.keys(TOPICS);

/** What each exit code means. */
const EXIT_CODE_MEANINGS: Readonly<Record<Outcome, string>> = {
  ok: 'done, or nothing to do; also an empty list',
  failed: 'the service refused for another reason than below; the code failed, or answered in a wrong shape',
  usage: 'wrong words, settings or paths; a confirmation is missing; a port is taken',
  invalid: 'a formula folder is wrong; nothing was sent',
  denied: 'no key, 401 or 403; the message names the permission that is needed',
  not_found: '404, or no formula of that name',
  conflict: 'a name that is taken or ambiguous; 409, 412',
  partial: 'writing began, and outcomes are mixed',
  unavailable: 'no usable answer, and as far as can be known nothing changed',
  unknown: 'a write was sent and no answer came; the message says how to check',
  differs: 'diff found differences; pull kept what was changed here',
  bug: 'a fault of formulary; please report it',
  interrupted: 'SIGINT (130) or SIGTERM (143)',
};

const EXIT_CODE_NOTE = 'When every item of several failed for one reason, the run ends with the code of that reason.';

/** Variables, with what they say and, in brackets, the flag that beats them. */
const VARIABLES: Rows = [
  ['FORMULARY_BASE_URL', 'base address of the service [--base-url URL]'],
  ['FORMULARY_API_KEY', 'API key [--api-key-file FILE, --api-key-stdin]'],
  ['FORMULARY_API_KEY_HEADER', 'header that carries the key (SVC-API-KEY) [--api-key-header NAME]'],
  [
    'FORMULARY_PROFILE',
    'address and key that auth login kept under this name [--profile NAME]; local: the embedded service [--local]',
  ],
  ['FORMULARY_LOCAL_DATA', 'data file of the embedded service [--data FILE of service commands]'],
  ['FORMULARY_SERVICE_KEY', 'key of the first application that service start makes'],
  ['FORMULARY_TARGET', 'name of the service in the lock and the history [--target NAME]'],
  ['FORMULARY_TIMEOUT', 'time limit of one request, in seconds (30) [--timeout SECONDS]'],
  ['XDG_CONFIG_HOME', 'folder of the saved keys (~/.config; on Windows %APPDATA%)'],
  ['XDG_DATA_HOME', 'folder of the data (~/.local/share; on Windows %LOCALAPPDATA%)'],
  ['XDG_STATE_HOME', 'folder of the state (~/.local/state; on Windows %LOCALAPPDATA%)'],
  ['NODE_EXTRA_CA_CERTS', 'file with further certificates to trust [--ca-file FILE adds to it]'],
  ['HTTPS_PROXY, HTTP_PROXY', 'proxy: http://user:password@host:port'],
  ['ALL_PROXY', 'proxy where the one above is not set'],
  ['NO_PROXY', 'exempt: names, addresses, ranges; or *'],
  ['NO_COLOR, FORCE_COLOR', 'colour: never, or always [--no-color, --color]'],
  ['GITHUB_ACTIONS', 'true: findings are also said as annotations on stderr'],
  ['GITHUB_WORKSPACE', 'root of the checkout: annotations name files relative to it'],
];

const ENVIRONMENT_NOTES = [
  'A flag beats the environment, and the environment beats what auth login kept; but a profile that is named brings address and key as a pair. A kept key goes to its own address alone. Nothing inside a project decides where a key goes, and no flag takes the key itself, since other users can read command lines.',
  "The proxy is that of the address's scheme, else ALL_PROXY; the lower-case variable beats the upper-case one. This machine is asked directly only if NO_PROXY names it (localhost, 127.0.0.1). SOCKS proxies cannot be used.",
];

const OUTPUT: Topic = [
  'Output',
  'stdout is the answer and nothing else; notes, questions and errors go to stderr.',
  [
    ['--output table', 'aligned on a terminal; in a pipe tab-separated and whole, without a heading'],
    ['--output json, --json', 'exactly one JSON document'],
    ['--output jsonl', 'one item a line, as JSON'],
    ['--output csv', 'RFC 4180 with a header; nested values as JSON, control characters as \\uXXXX'],
    ['--fields a,b', 'picks fields and orders them, in every format'],
  ],
  'A list is an array; one formula is the object that the service answered. Commands about several things answer with {"schema_version": 1, "items": […], "summary": {"total": N, …}}.',
  'When a command about one thing fails, stdout is empty. With --json the last line of stderr is then {"error": {"code", "exit_code", "message", "hint"?, "status"?, "details"?, "request_id"?}}.',
  'Text that came from elsewhere (names, messages, paths) is shown with control characters as \\uXXXX.',
];

const FOLDER_FILES: Rows = [
  ['manifest.json', 'name, description (optional), type, configuration, request_parameters'],
  ['code.js', 'CommonJS for Node.js 16 that exports one asynchronous function; sent byte for byte'],
  ['code.ts, code.mjs', 'instead of it: bundled with what they import to one such script; default export'],
  ['icon.png, icon.jpg, icon.jpeg', 'optional; sent as what its bytes are'],
  ['formula.d.ts', 'the types that formula types writes; not sent'],
  [
    'tests/*.json',
    'tests, one or an array: {name, args, configuration, doubles, network, expect: {raw, tokenize, error, calls}}',
  ],
];

const PROJECT_FILES: Rows = [
  [
    'formulas.lock.json',
    'which formula of which service a folder is; written by push, pull and link, committed by you',
  ],
];

const WINDOWS_NOTE =
  'On Windows, without the XDG variables: keys are in %APPDATA%\\formulary, and everything else is in %LOCALAPPDATA%\\formulary.';

const USER_FILES: Rows = [
  ['$XDG_DATA_HOME/formulary/local.db', 'data of the embedded service; else below ~/.local/share'],
  ['$XDG_CONFIG_HOME/formulary/profiles/', 'keys that auth login kept, a file each; else below ~/.config'],
  ['$XDG_STATE_HOME/formulary/history/', 'copies from before each update and delete; else below ~/.local/state'],
  [
    '$XDG_STATE_HOME/formulary/checked.json',
    'which folders were found flawless, so that push need not check them again',
  ],
  ['$XDG_STATE_HOME/formulary/seen/', 'what formulas were like when they were last seen'],
  ['$XDG_STATE_HOME/formulary/locks/', 'which formulas folders are, for services of this machine without a name'],
  ['$XDG_STATE_HOME/formulary/turns/', 'which command writes to a service at the moment'],
];
