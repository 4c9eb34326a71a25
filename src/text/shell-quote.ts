/** Formats commands for hints, quoted for the user's shell. */

/** Formats a command of the tool: `line` unchanged, then the arguments, quoted if necessary. */
export type CommandFormatter = (line: string, ...args: readonly string[]) => string;

/** The formatter for a value of `Host.platform`. */
export const createCommandFormatter =
  (platform: string): CommandFormatter =>
  (line, ...args) =>
    ['formulary', line, ...args.map((arg) => shellQuote(arg, platform))].join(' ');

/** A path as an argument; a path that starts with a hyphen would be parsed as a flag. */
export const toPathArgument = (path: string): string => (path.startsWith('-') ? `./${path}` : path);

/** Quotes a path as one argument. */
export const shellQuotePath = (path: string, platform: string): string => shellQuote(toPathArgument(path), platform);

/** Quotes a string as one argument, if necessary. */
export const shellQuote = (text: string, platform: string): string =>
  platform === 'win32' ? quoteWindows(text) : quotePosix(text);

function quotePosix(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Characters in double quotes that PowerShell expands or that end the string. */
const EXPANDED_BY_POWERSHELL = /["“”„`]|\$[\w({?^$:]/;

/**
 * Double quotes work in cmd.exe and PowerShell. If PowerShell would expand part of the string, its single quotes are
 * used, which cmd.exe does not support. (cmd.exe expands `%NAME%` in any quotes.)
 */
function quoteWindows(text: string): string {
  if (/^(--[\w-]+|[\w+:./\\][\w+:./\\@-]*)$/.test(text)) return text;
  if (EXPANDED_BY_POWERSHELL.test(text)) return `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`;
  // A backslash before the closing quote would escape it.
  return `"${text.replace(/\\+$/, '$&$&')}"`;
}
