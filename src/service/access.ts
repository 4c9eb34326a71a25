/** Middleware that checks origin, rate, key, and permission (spec 5). */
import type { MiddlewareHandler } from 'hono';
import { findApplication } from './applications.ts';
import { HttpProblem } from './problem.ts';
import type { Application, Store } from './store/store.ts';
import { createTokenBucket } from './token-bucket.ts';

/** The context of Hono: the application of the request. */
export interface ServiceEnv {
  Variables: { application: Application };
}

const OWN_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Rejects requests of other sites, which reach loopback through the user's browser (DNS rebinding, CSRF). */
export const rejectForeignOrigins: MiddlewareHandler<ServiceEnv> = async (c, next) => {
  const origin = c.req.header('origin');
  const hosts = [new URL(c.req.url).host, c.req.header('host') ?? 'localhost'];
  if (origin !== undefined) hosts.push(origin.replace(/^https?:\/\//i, ''));
  if (!hosts.every((host) => OWN_HOST.test(host))) {
    throw new HttpProblem(
      403,
      'This service accepts only requests from this computer to 127.0.0.1, localhost, or [::1].',
    );
  }
  await next();
};

/** 429 with `Retry-After` in seconds for more than `perSecond` requests. */
export function createRateLimit(perSecond: number, now: () => Date): MiddlewareHandler<ServiceEnv> {
  const takeToken = createTokenBucket(perSecond);
  return async (_, next) => {
    const waitSeconds = takeToken(now().getTime());
    if (waitSeconds > 0) {
      throw new HttpProblem(429, `More than ${perSecond} requests per second.`, {
        headers: { 'retry-after': String(waitSeconds) },
      });
    }
    await next();
  };
}

/** Creates the check of an operation: a known key, and the permission that the operation needs. */
export function createAccessCheck(store: Store, keyHeader: string) {
  return (permission?: string): MiddlewareHandler<ServiceEnv> =>
    async (c, next) => {
      const application = requireApplication(store, keyHeader, c.req.header(keyHeader));
      if (permission !== undefined && !application.permissions.includes(permission)) {
        throw new HttpProblem(403, `This operation needs the permission ${permission}.`);
      }
      c.set('application', application);
      await next();
    };
}

function requireApplication(store: Store, keyHeader: string, key: string | undefined): Application {
  if (key === undefined || key === '') {
    throw new HttpProblem(401, `The header ${keyHeader} is missing: send the key of an application.`);
  }
  const application = findApplication(store, key);
  if (!application) throw new HttpProblem(401, `The key in the header ${keyHeader} is unknown.`);
  return application;
}
