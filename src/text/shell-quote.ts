/** Command lines for hints, quoted so that they can be copied into a shell of the user's system. */

/** Makes a command of the tool: `line` as it is, then the arguments, each quoted where it has to be. */
export type CommandFormatter = (line: string, ...args: readonly string[]) => string;

/** The commands for a platform, as `Host.platform` names it. */
export const createCommandFormatter =
  (platform: string): CommandFormatter =>
  (line, ...args) =>
    ['formulary', line, ...args.map((arg) => shellQuote(arg, platform))].join(' ');

/** A path as an argument; one that begins with a hyphen would be parsed as a flag. */
export const toPathArgument = (path: string): string => (path.startsWith('-') ? `./${path}` : path);

/** A path as one word of a command. */
export const shellQuotePath = (path: string, platform: string): string => shellQuote(toPathArgument(path), platform);

/** A string as one word of a command, in quotes where it needs them. */
export const shellQuote = (text: string, platform: string): string =>
  platform === 'win32' ? quoteWindows(text) : quotePosix(text);

function quotePosix(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** What PowerShell replaces or ends the string at, between double quotes. */
const EXPANDED_BY_POWERSHELL = /["“”„`]|\$[\w({?^$:]/;

/**
 * Double quotes work in cmd.exe and in PowerShell. Where PowerShell would replace a part between them, nothing works in
 * both, and its single quotes are used. (Between any quotes, cmd.exe replaces `%NAME%`.)
 */
function quoteWindows(text: string): string {
  if (/^(--[\w-]+|[\w+:./\\][\w+:./\\@-]*)$/.test(text)) return text;
  if (EXPANDED_BY_POWERSHELL.test(text)) return `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`;
  // A backslash before the closing quote would escape it.
  return `"${text.replace(/\\+$/, '$&$&')}"`;
}
