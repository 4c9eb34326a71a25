/** What an incomplete list does not show: what is searched for, and what the answers say together. */
import { describe, expect, it } from 'vitest';
import { buildSearchPatterns, mergeNameMatches } from '../../src/api/incomplete-list.ts';
import type { ListResult } from '../../src/api/pagination.ts';
import type { Formula } from '../../src/model.ts';
import { nameSearch } from '../../src/text/name-search.ts';

describe('a name is searched for', () => {
  it.each<[string, string[]]>([
    ['Tokenize a card', ['Tokenize a card']],
    ['tokenize-card_v1.2', ['tokenize-card_v1.2']],
    ['Zahlkarte für Köln 東京', ['Zahlkarte für Köln 東京']],
    ['any*card', ['any*card']],
    ['card [EU]', ['card [EU]', 'card *EU*']],
    ['card\\*', ['card\\*', 'card**']],
    ['100% (new?)', ['100% (new?)', '100* *new*']],
    [' card ', [' card ', '*card*']],
    ['a\tb', ['a\tb', 'a\tb']],
    ['💳', ['💳', '*']],
  ])('%j', (name, patterns) => {
    expect(buildSearchPatterns(name)).toEqual([...new Set(patterns)]);
    for (const pattern of patterns) expect(nameSearch(pattern)?.(name) ?? true).toBe(true);
  });
});

describe('the formulas of a name', () => {
  const DOUBT = 'the service counts 3 items, but its pages show 1';
  const list = (doubt: string | undefined, ...names: string[]): ListResult<Formula> => ({
    items: names.map((name) => ({ id: name.toLowerCase(), name })),
    incompleteReason: doubt,
  });
  const copy = (...ids: string[]): ListResult<Formula> => ({
    items: ids.map((id) => ({ id, name: 'Card' })),
    incompleteReason: undefined,
  });

  it.each<[string, ListResult<Formula>, ListResult<Formula>[], string[], RegExp | undefined]>([
    ['are those of a complete list', list(undefined, 'Card', 'CARD'), [], ['card'], undefined],
    ['are none, by a complete search', list(DOUBT, 'Other'), [list(undefined, 'Cards')], [], undefined],
    ['are those that a complete search finds', list(DOUBT), [list(undefined, 'Card')], ['card'], undefined],
    ['are each counted once', list(DOUBT, 'Card'), [copy('CARD'), copy('card', '2')], ['card', '2'], undefined],
    ['are open when a search says the same', list(DOUBT), [list(DOUBT)], [], /counts 3.*tell either: .*counts 3/],
    ['are open when one of two searches does', list(DOUBT), [list('it failed'), copy('1')], ['1'], /it failed/],
    ['may be known and yet more', list(DOUBT, 'Card'), [list('it failed')], ['card'], /it failed/],
  ])('%s', (_, all, searches, ids, doubt) => {
    const found = mergeNameMatches('Card', all, searches);
    expect(found.formulas.map(({ id }) => id)).toEqual(ids);
    if (doubt) expect(found.incompleteReason).toMatch(doubt);
    else expect(found.incompleteReason).toBeUndefined();
  });
});
