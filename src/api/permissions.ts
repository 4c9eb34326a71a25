/** Lists the available permissions (spec 4.1). */
import type { Permission } from '../model.ts';
import type { ServiceClient } from './client.ts';

/** All permissions, or those of an application type, which is sent unchanged. */
export function listPermissions(client: ServiceClient, applicationType: string | undefined): Promise<Permission[]> {
  return client.send({
    method: 'GET',
    description: 'list the permissions',
    path: ['permissions'],
    query: { application_type: applicationType },
    decode: (body) => (Array.isArray(body) && body.every(isPermission) ? body : undefined),
  });
}

const isPermission = (value: unknown): value is Permission =>
  typeof value === 'object' && value !== null && typeof (value as Permission).type === 'string';
