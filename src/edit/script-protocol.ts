/** What the tool and the process of a script send to each other. */

/** A formula as the script gets it. */
export interface ScriptFormula {
  /** The path of the folder, as it is shown. */
  folder: string;
  /** The parsed manifest. */
  manifest: unknown;
  /** The text of the code file, without a byte order mark; undefined where there is none that can be read. */
  code: string | undefined;
}

/** The first message is the path of the script, each one after it a formula. */
export type ScriptRequest = { script: string } | { formula: ScriptFormula };

export interface ScriptError {
  name: string | undefined;
  message: string;
  stack: string | undefined;
}

/** `ready`: the script is loaded. `problem`: it broke its contract, in words that follow "the script". */
export type ScriptReply =
  | { ready: true }
  | { manifest: unknown; code: string | undefined }
  | { problem: string }
  | { thrown: ScriptError };
