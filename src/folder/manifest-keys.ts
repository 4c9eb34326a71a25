/** The keys of a manifest, as sent to the service, and of its elements. */
import { MANIFEST_FIELDS } from '../formula-fields.ts';

export const MANIFEST_KEYS: readonly string[] = MANIFEST_FIELDS;

export const ELEMENT_KEYS: readonly string[] = ['name', 'description', 'type'];
