/** The permission catalogue (spec 4.1). */
import type { Permission } from '../model.ts';
import type { Send } from './client.ts';

/** All permissions, or those that an application of the given type can have; the type is sent as given. */
export function listPermissions(send: Send, applicationType: string | undefined): Promise<Permission[]> {
  return send({
    method: 'GET',
    doing: 'list the permissions',
    path: ['permissions'],
    query: { application_type: applicationType },
    read: (body) => (Array.isArray(body) && body.every(isPermission) ? body : undefined),
  });
}

const isPermission = (value: unknown): value is Permission =>
  typeof value === 'object' && value !== null && typeof (value as Permission).type === 'string';
