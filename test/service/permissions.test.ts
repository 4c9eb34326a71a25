import { describe, expect, it } from 'vitest';
import { temporaryService } from './fixture.ts';

describe('the available permissions', () => {
  it('are returned as rows of type, description, and application types', async () => {
    const { ask } = await temporaryService();
    const all = await ask('GET', '/permissions');
    expect(all.status).toBe(200);
    expect(all.json).toHaveLength(30);
    expect(all.json[2]).toEqual({
      type: 'token:read',
      description: 'Read tokens',
      application_types: ['private', 'expiring'],
    });
    expect(new Set(all.json.map((row: { type: string }) => row.type)).size).toBe(30);
  });

  it.each([
    ['?application_type=public', 2],
    ['?application_type=private', 6],
    ['?application_type=expiring', 1],
    ['?application_type=Management', 0],
    ['/?application_type=management', 24],
    ['?application_type=nobody', 0],
    ['?application_type=', 30],
  ])('are filtered by the query %s', async (query, rows) => {
    const { ask } = await temporaryService();
    const { status, json } = await ask('GET', `/permissions${query}`);
    expect([status, json.length]).toEqual([200, rows]);
  });
});
