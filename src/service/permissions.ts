/** The available permissions of the embedded service: the rows of spec 2.2. */

interface PermissionRow {
  type: string;
  description: string;
  application_types: readonly ApplicationType[];
}

export const APPLICATION_TYPES = ['public', 'private', 'expiring', 'management'] as const;

type ApplicationType = (typeof APPLICATION_TYPES)[number];

const ROWS: readonly [type: string, description: string, ...applicationTypes: ApplicationType[]][] = [
  ['token:create', 'Create tokens', 'public', 'private'],
  ['token:update', 'Update tokens', 'public', 'private'],
  ['token:read', 'Read tokens', 'private', 'expiring'],
  ['token:search', 'Search tokens', 'private'],
  ['token:delete', 'Delete tokens', 'private'],
  ['token:use', "Use tokens in the service's own services (for example proxies, reactors)", 'private'],
  ['tenant:read', 'Read tenants', 'management'],
  ['tenant:update', 'Update tenants', 'management'],
  ['tenant:delete', 'Delete tenants', 'management'],
  ['application:read', 'Read applications', 'management'],
  ['application:create', 'Create applications', 'management'],
  ['application:update', 'Update applications and regenerate their API keys', 'management'],
  ['application:delete', 'Delete applications', 'management'],
  ['log:read', 'Read audit logs', 'management'],
  ['reactor:read', 'Read reactor formulas and reactors', 'management'],
  ['reactor:create', 'Create reactor formulas and reactors', 'management'],
  ['reactor:update', 'Update reactor formulas and reactors', 'management'],
  ['reactor:delete', 'Delete reactor formulas and reactors', 'management'],
  ['proxy:read', 'Read proxies', 'management'],
  ['proxy:create', 'Create proxies', 'management'],
  ['proxy:update', 'Update proxies', 'management'],
  ['proxy:delete', 'Delete proxies', 'management'],
  ['tenant:member:read', 'Read tenant members', 'management'],
  ['tenant:member:update', 'Update tenant members', 'management'],
  ['tenant:member:delete', 'Delete tenant members', 'management'],
  ['tenant:invitation:create', 'Create tenant invitations', 'management'],
  ['tenant:invitation:read', 'Read tenant invitations', 'management'],
  ['tenant:invitation:update', 'Update tenant invitations', 'management'],
  ['tenant:invitation:delete', 'Delete tenant invitations', 'management'],
  ['report:read', 'Read reports', 'management'],
];

export const PERMISSIONS: readonly PermissionRow[] = ROWS.map(([type, description, ...application_types]) => ({
  type,
  description,
  application_types,
}));

/** All permissions, or those of an application type; none for an unknown type. */
export function filterPermissions(applicationType: string | undefined): PermissionRow[] {
  if (applicationType === undefined) return [...PERMISSIONS];
  return PERMISSIONS.filter((row) => row.application_types.some((type) => type === applicationType));
}
