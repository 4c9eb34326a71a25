/** The keys of a manifest, as sent to the service, and of its elements. */

export const MANIFEST_KEYS: readonly string[] = ['name', 'description', 'type', 'configuration', 'request_parameters'];

export const ELEMENT_KEYS: readonly string[] = ['name', 'description', 'type'];
