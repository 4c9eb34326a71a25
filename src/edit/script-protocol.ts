/** Messages between the tool and the process of a script. */

/** A formula as passed to the script. */
export interface ScriptFormula {
  /** The display path of the folder. */
  folder: string;
  /** The parsed manifest. */
  manifest: unknown;
  /** The text of the code file, without a byte order mark; undefined if there is no readable one. */
  code: string | undefined;
}

/** The first message is the path of the script; each later one is a formula. */
export type ScriptRequest = { script: string } | { formula: ScriptFormula };

export interface ScriptError {
  name: string | undefined;
  message: string;
  stack: string | undefined;
}

/** `ready`: the script is loaded. `problem`: the predicate of a message, such as "must export a function". */
export type ScriptReply =
  | { ready: true }
  | { manifest: unknown; code: string | undefined }
  | { problem: string }
  | { thrown: ScriptError };
