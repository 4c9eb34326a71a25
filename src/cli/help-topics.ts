/** The help topics: formulary help exit-codes, environment, output, files; help-document.ts has the reference. */
import { EXIT_CODES, type Outcome } from '../errors.ts';
import { formatDefinitionList, wrap } from '../output/wrap.ts';

/** Paragraphs and tables. */
type Topic = readonly (string | Rows)[];

type Rows = readonly (readonly [term: string, description: string])[];

/** In columns; wider lines are hard to read. */
export const MAX_WIDTH = 100;

/** The text of a topic, wrapped to the width of the terminal; undefined if there is no topic of this name. */
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
    'Files next to formula folders',
    [['formulas.lock.json', LOCK_FILE]],
    'Your files',
    USER_FILES,
    'On Windows, without the XDG variables: keys are in %APPDATA%\\formulary, and everything else is in %LOCALAPPDATA%\\formulary.',
  ],
};

/** The arguments of `formulary help`, in addition to commands. */
export const TOPIC_NAMES = [...Object.keys(TOPICS), 'reference'];

export const EXIT_CODE_MEANINGS: Readonly<Record<Outcome, string>> = {
  ok: 'success, or nothing to do; also an empty list',
  failed:
    'the service rejected the request for a reason not listed below; the formula failed or returned an invalid response',
  usage: 'invalid arguments, settings, or paths; a missing confirmation; a port in use',
  invalid: 'invalid input: a formula folder, a file, or JSON; nothing was sent',
  denied: 'no key, 401, or 403; the message contains the required permission',
  not_found: '404, or no formula with that name; no folder with the KEY of edit',
  conflict: 'a name in use or ambiguous; a remote change since your last pull or push; a stale plan; 409 or 412',
  partial: 'some changes succeeded and some failed',
  unavailable: 'no usable response; as far as known, nothing was changed',
  unknown: 'a write was sent, and its outcome is unknown; the message shows how to check',
  differs: 'diff found differences; edit --dry-run would change files; pull skipped local changes',
  bug: 'internal error (a bug in formulary); please report it',
  interrupted: 'SIGINT (130) or SIGTERM (143)',
};

const EXIT_CODE_NOTE = "If all items fail for the same reason, that reason's exit code is used.";

/** Variables, with the flag that takes precedence in brackets. */
const VARIABLES: Rows = [
  ['FORMULARY_BASE_URL', 'base URL of the service [--base-url URL]'],
  ['FORMULARY_API_KEY', 'API key [--api-key-file FILE, --api-key-stdin]'],
  ['FORMULARY_API_KEY_FILE', 'file that contains the API key; not together with FORMULARY_API_KEY'],
  ['FORMULARY_API_KEY_HEADER', 'request header for the API key (default: SVC-API-KEY) [--api-key-header NAME]'],
  ['FORMULARY_PROFILE', 'saved base URL and key to use [--profile NAME]; local: the embedded service [--local]'],
  ['FORMULARY_LOCAL_DATA', 'data file of the embedded service [--data FILE of service commands]'],
  ['FORMULARY_SERVICE_KEY', 'key of the first application that service start creates'],
  ['FORMULARY_TARGET', 'name of the service in the lock file and the history [--target NAME]'],
  ['FORMULARY_READ_ONLY', '1: commands that write to a service exit with 2 [login with --read-only]'],
  ['FORMULARY_TIMEOUT', 'time limit per request in seconds (default: 30) [--timeout SECONDS]'],
  ['FORMULARY_NODE', 'Node.js that runs formula code (default: Node.js 16 on the PATH) [--node FILE]'],
  ['XDG_CONFIG_HOME', 'folder of the saved keys (default: ~/.config; on Windows %APPDATA%)'],
  ['XDG_DATA_HOME', 'folder of the data (default: ~/.local/share; on Windows %LOCALAPPDATA%)'],
  ['XDG_STATE_HOME', 'folder of the state (default: ~/.local/state; on Windows %LOCALAPPDATA%)'],
  ['NODE_EXTRA_CA_CERTS', 'file with additional CA certificates to trust [--ca-file FILE adds to it]'],
  ['HTTPS_PROXY, HTTP_PROXY', 'proxy: http://user:password@host:port'],
  ['ALL_PROXY', 'proxy if the variable above is not set'],
  ['NO_PROXY', 'hosts that bypass the proxy: names, addresses, CIDR ranges, or *'],
  ['NO_COLOR, FORCE_COLOR', 'colors: never, or always [--no-color, --color]'],
  ['GITHUB_ACTIONS', 'true: findings are also printed as annotations on stderr'],
  ['GITHUB_WORKSPACE', 'root of the checkout, which the paths of annotations are relative to'],
];

const ENVIRONMENT_NOTES = [
  'Precedence: flags, then --profile, then environment variables, then the saved login. A saved key is sent only to its own base URL. Files in a project never decide where a key is sent. There is no flag for the key itself, because other users can read command lines.',
  "The proxy is the one for the base URL's scheme, otherwise ALL_PROXY; lower-case variables take precedence. Requests to this computer bypass the proxy only if NO_PROXY contains its name (localhost, 127.0.0.1). SOCKS proxies are not supported.",
];

const OUTPUT: Topic = [
  'Output',
  'Only the result is printed on stdout; notes, prompts, and errors are printed on stderr.',
  [
    ['--output table', 'aligned on a terminal; in a pipe tab-separated and untruncated, without a header'],
    ['--output json, --json', 'exactly one JSON document'],
    ['--output jsonl', 'one JSON item per line'],
    ['--output csv', 'RFC 4180 with a header; nested values as JSON, control characters as \\uXXXX'],
    ['--fields a,b', 'selects and orders the fields, in every format'],
  ],
  'A list is an array; a formula is the object that the service returned. Commands for several items print {"schema_version": 1, "items": […], "summary": {"total": N, …}}.',
  'If a command for one item fails, stdout is empty. With --json, the last line of stderr is then {"error": {"code", "exit_code", "message", "hint"?, "status"?, "details"?, "request_id"?}}.',
  'Control characters in remote text (names, messages, paths) are printed as \\uXXXX.',
];

const FOLDER_FILES: Rows = [
  ['manifest.json', 'name, description (optional), type, configuration, request_parameters'],
  ['code.js', 'CommonJS for Node.js 16 that exports one async function; sent byte for byte'],
  ['code.ts, code.mjs', 'alternatives to code.js with a default export; bundled with their imports into one script'],
  ['icon.png, icon.jpg, icon.jpeg', 'optional; sent with the actual type of its bytes'],
  ['formula.d.ts', 'types generated by formula types; not sent'],
  [
    'tests/*.json',
    'a test or an array of tests: {name, args, configuration, doubles, network, expect: {raw, tokenize, error, calls}}',
  ],
];

const LOCK_FILE = 'ids of the formulas that folders are linked to; written by push, pull, and link; commit this file';

const USER_FILES: Rows = [
  ['$XDG_DATA_HOME/formulary/local.db', 'data of the embedded service (default: in ~/.local/share)'],
  ['$XDG_CONFIG_HOME/formulary/profiles/', 'saved keys, one file per profile (default: in ~/.config)'],
  ['$XDG_STATE_HOME/formulary/history/', 'versions saved before each update and delete (default: in ~/.local/state)'],
  ['$XDG_STATE_HOME/formulary/checked.json', 'cache of validated folders'],
  [
    '$XDG_STATE_HOME/formulary/baselines/',
    'last common state of each folder and the service, used to detect conflicts',
  ],
  ['$XDG_STATE_HOME/formulary/locks/', 'links of folders to formulas on local services without a name'],
  ['$XDG_STATE_HOME/formulary/workbench/', 'port and token of the last formula dev of each folder'],
  ['$XDG_STATE_HOME/formulary/write-locks/', 'locks that serialize writing commands'],
];
