/** Who may ask: from this machine only, within the rate, with a key, and with the permission (spec 5). */
import type { MiddlewareHandler } from 'hono';
import { findApplication } from './applications.ts';
import { HttpProblem } from './problem.ts';
import type { Application, Store } from './store/store.ts';
import { createTokenBucket } from './token-bucket.ts';

/** What Hono carries: the application that asks. */
export interface ServiceEnv {
  Variables: { application: Application };
}

const OWN_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Shuts out pages of other sites, which reach loopback through the user's browser (DNS rebinding, forged posts). */
export const rejectForeignOrigins: MiddlewareHandler<ServiceEnv> = async (c, next) => {
  const origin = c.req.header('origin');
  const hosts = [new URL(c.req.url).host, c.req.header('host') ?? 'localhost'];
  if (origin !== undefined) hosts.push(origin.replace(/^https?:\/\//i, ''));
  if (!hosts.every((host) => OWN_HOST.test(host))) {
    throw new HttpProblem(
      403,
      'This service answers only requests from this machine to 127.0.0.1, localhost or [::1].',
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
      throw new HttpProblem(429, `More than ${perSecond} requests a second.`, {
        headers: { 'retry-after': String(waitSeconds) },
      });
    }
    await next();
  };
}

/** Makes the check in front of an operation: a known key, and the permission where the operation needs one. */
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
    throw new HttpProblem(401, `There is no key: send the key of an application in the header ${keyHeader}.`);
  }
  const application = findApplication(store, key);
  if (!application) throw new HttpProblem(401, `The key in the header ${keyHeader} is unknown.`);
  return application;
}
