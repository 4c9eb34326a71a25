import { describe, expect, it } from 'vitest';
import { runTest } from '../../helpers/one-test.ts';

const CREATE = `module.exports = async ({ bt }) => {
  const token = await bt.tokens.create({ type: 'card', data: { number: '4242' } });
  return { raw: { id: token.id } };
};`;

describe('a double of bt', () => {
  it('returns its results in order, each once', async () => {
    const code = `module.exports = async ({ bt }) => {
      const ids = [await bt.tokens.create({ n: 1 }), (await bt.tokens.create({ n: 2 })).id];
      try { await bt.tokens.retrieve('x'); } catch (error) { ids.push(error instanceof Error, error.message, error.status); }
      return { raw: { ids } };
    };`;
    const doubles = {
      bt: {
        'tokens.create': [{ returns: 'one' }, { returns: { id: 'two' } }],
        'tokens.retrieve': [{ throws: { status: 404, message: 'not found' } }],
      },
    };
    const test = { doubles, expect: { raw: { ids: ['one', 'two', true, 'not found', 404] } } };
    expect(await runTest(code, test)).toMatchObject({ exit: 0, item: { outcome: 'passed' } });
  });

  it('that is an uncaught error fails as the service would', async () => {
    const test = {
      doubles: { bt: { 'tokens.create': [{ throws: { status: 422, message: 'invalid card' } }] } },
      expect: { error: { message: 'invalid card', status: 422 } },
    };
    expect(await runTest(CREATE, test)).toMatchObject({ exit: 0, item: { outcome: 'passed' } });
  });

  it('is a client that code can destructure, await, print, and bind', async () => {
    const code = `module.exports = async ({ bt }) => {
      const client = await bt;
      const { tokens } = client;
      const { create } = tokens;
      const bound = tokens.create.bind(tokens);
      return { raw: { a: await create(), b: await bound(), json: JSON.stringify(client) } };
    };`;
    const doubles = { bt: { 'tokens.create': [{ returns: 1 }, { returns: 2 }] } };
    expect(await runTest(code, { doubles, expect: { raw: { a: 1, b: 2, json: '{}' } } })).toMatchObject({ exit: 0 });
  });

  it('that is missing fails the test with the position, the call, and the JSON to add, even if the code catches the error', async () => {
    const code = `module.exports = async ({ bt }) => {
  try { await bt.tokens.create({ type: 'card' }); } catch {}
  return { raw: {} };
};`;
    const { exit, item } = await runTest(code, { doubles: { bt: {} }, expect: { raw: {} } });
    expect({ exit, item }).toMatchObject({ exit: 1, item: { outcome: 'failed' } });
    expect(item.error.message).toBe(
      'code.js:2:25: no double for bt.tokens.create({"type":"card"})\nadd to "doubles": {"bt":{"tokens.create":[{"returns":{}}]}}',
    );
  });

  it('that is not called fails the test', async () => {
    const doubles = { bt: { 'tokens.create': [{ returns: { id: 'a' } }, { returns: {} }] } };
    const { exit, item } = await runTest(CREATE, { doubles, expect: { raw: { id: 'a' } } });
    expect({ exit, message: item.error.message }).toEqual({
      exit: 1,
      message: '1 of 2 doubles of bt.tokens.create was not called',
    });
  });

  it('does not exist without doubles: bt is null', async () => {
    const code = 'module.exports = async ({ bt }) => ({ raw: { bt } });';
    expect(await runTest(code, { expect: { raw: { bt: null } } })).toMatchObject({ exit: 0 });
  });
});

describe('expect.calls', () => {
  const doubles = { bt: { 'tokens.create': [{ returns: { id: 'a' } }] } };

  it.each<[string, object[]]>([
    ['a part of the arguments', [{ bt: 'tokens.create', with: [{ type: 'card' }] }]],
    ['only the method', [{ bt: 'tokens.create' }]],
  ])('passes if the calls have %s', async (_, calls) => {
    const test = { doubles, expect: { raw: { id: 'a' }, calls } };
    expect(await runTest(CREATE, test)).toMatchObject({ exit: 0 });
  });

  it('shows the expected and the actual call', async () => {
    const calls = [{ bt: 'tokens.create', with: [{ type: 'bank' }] }];
    const { exit, item } = await runTest(CREATE, { doubles, expect: { raw: { id: 'a' }, calls } });
    expect({ exit, error: item.error }).toEqual({
      exit: 1,
      error: {
        message: 'calls do not match',
        expected: { calls },
        actual: { calls: [{ bt: 'tokens.create', with: [{ type: 'card' }] }] },
      },
    });
  });

  it('is written by --update only if it is present, and doubles never', async () => {
    const wrong = { doubles, expect: { raw: { id: 'b' }, calls: [] } };
    const { exit, written } = await runTest(CREATE, wrong, { words: ['--update'] });
    const calls = [{ bt: 'tokens.create', with: [{ type: 'card', data: { number: '4242' } }] }];
    expect({ exit, written }).toEqual({ exit: 0, written: { doubles, expect: { raw: { id: 'a' }, calls } } });
    const plain = await runTest(CREATE, { doubles, expect: { raw: { id: 'b' } } }, { words: ['--update'] });
    expect(plain.written).toEqual({ doubles, expect: { raw: { id: 'a' } } });
  });
});
