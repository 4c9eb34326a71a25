/** The nouns of the service as they travel on the wire (spec 2); types only. */

export type ValueType = 'string' | 'boolean' | 'number';

/** One setting of every reactor made from the formula (spec 2.4). */
export interface ConfigurationElement {
  name: string;
  description?: string | null;
  type: ValueType;
}

/** One argument of every invocation (spec 2.5); a nested one is named `parent.child`. */
export interface RequestParameter extends ConfigurationElement {
  optional?: boolean | null;
}

/** What create and update send (spec 4.2 and 4.5). */
export interface FormulaBody {
  name: string;
  description?: string | null;
  type: 'official' | 'private';
  icon?: string | null;
  code: string;
  configuration: ConfigurationElement[];
  request_parameters: RequestParameter[];
}

/**
 * A formula as some service answers it (spec 2.3). Only `id` and `name` are relied on: everything else may be null,
 * absent or of an unknown value, and keys that are not known are kept.
 */
export interface Formula {
  id: string;
  name: string;
  description?: string | null;
  type?: string | null;
  status?: string | null;
  icon?: string | null;
  code?: string | null;
  configuration?: ConfigurationElement[] | null;
  request_parameters?: RequestParameter[] | null;
  /** Texts as a rule; nothing depends on them, so they may be anything. */
  created_at?: unknown;
  created_by?: unknown;
  modified_at?: unknown;
  modified_by?: unknown;
}

/** One row of the permission catalogue (spec 2.1). Only `type` is relied on: a text and a list as a rule, the rest may be anything. */
export interface Permission {
  type: string;
  description?: unknown;
  application_types?: unknown;
}
