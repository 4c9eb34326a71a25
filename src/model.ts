/** The types of the service's requests and responses (spec 2). */

export type ValueType = 'string' | 'boolean' | 'number';

/** A setting of every reactor that uses the formula (spec 2.4). */
export interface ConfigurationElement {
  name: string;
  description?: string | null;
  type: ValueType;
}

/** An argument of every invocation (spec 2.5); a nested one is named `parent.child`. */
export interface RequestParameter extends ConfigurationElement {
  optional?: boolean | null;
}

/** The body of create and update requests (spec 4.2 and 4.5). */
export interface FormulaBody {
  name: string;
  description?: string | null;
  type: 'official' | 'private';
  icon?: string | null;
  code: string;
  configuration: ConfigurationElement[];
  request_parameters: RequestParameter[];
}

/** What a formula gets in an invocation. */
export type Declarations = Pick<FormulaBody, 'request_parameters' | 'configuration'>;

/**
 * A formula as a service returns it (spec 2.3). Only `id` and `name` are required: the other fields may be null, absent,
 * or unexpected, and unknown keys are preserved.
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
  /** Usually strings, but not checked. */
  created_at?: unknown;
  created_by?: unknown;
  modified_at?: unknown;
  modified_by?: unknown;
  /** Where the service tells it. */
  modified_by_name?: unknown;
}

/** A formula in messages, and in what is recorded about it. */
export type NamedFormula = Pick<Formula, 'id' | 'name'>;

/** An available permission (spec 2.1). Only `type` is checked; the others are usually a string and a list. */
export interface Permission {
  type: string;
  description?: unknown;
  application_types?: unknown;
}
