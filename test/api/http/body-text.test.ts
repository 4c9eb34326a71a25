import { describe, expect, it } from 'vitest';
import { type DecodedBody, decodeBody, toDisplayText } from '../../../src/api/http/body-text.ts';

const TEXT = '{"name":"Zahlung prüfen"}';
const JSON_TYPE = 'application/json';
const typed = (body: Buffer, contentType: string | undefined) => ({ body, headers: { 'content-type': contentType } });
const textOf = (decoded: DecodedBody) => ('utf8' in decoded ? decoded.utf8.toString() : decoded.problem);
const utf16 = (text: string, isBigEndian = false) => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
};

describe('a body', () => {
  it.each<[string, Buffer, string | undefined]>([
    ['UTF-8 by default', Buffer.from(TEXT), undefined],
    ['UTF-8 for JSON', Buffer.from(TEXT), JSON_TYPE],
    ['UTF-8 as declared', Buffer.from(TEXT), `${JSON_TYPE}; charset=UTF-8`],
    ['UTF-8 after a byte order mark', Buffer.from(`\ufeff${TEXT}`), `${JSON_TYPE}; charset=utf-8`],
    ['UTF-8 though labeled as Latin-1', Buffer.from(TEXT), `${JSON_TYPE}; charset=ISO-8859-1`],
    ['Latin-1', Buffer.from(TEXT, 'latin1'), `${JSON_TYPE}; charset=ISO-8859-1`],
    ['Latin-1 in quotes', Buffer.from(TEXT, 'latin1'), `${JSON_TYPE};a=b;Charset="latin1"`],
    ['Windows-1252', Buffer.from(TEXT, 'latin1'), `${JSON_TYPE}; charset=windows-1252`],
    ['UTF-16 as declared', utf16(TEXT), `${JSON_TYPE}; charset=utf-16le`],
    ['UTF-16 by its byte order mark', utf16(`\ufeff${TEXT}`), JSON_TYPE],
    ['UTF-16 of the other order by its mark', utf16(`\ufeff${TEXT}`, true), `${JSON_TYPE}; charset=utf-16`],
  ])('is decoded as %s', (_, body, contentType) => {
    expect(textOf(decodeBody(typed(body, contentType)))).toBe(TEXT);
  });

  it.each(['windows-1252', 'ISO-8859-1'])('labeled as %s has the characters of Windows in 0x80 to 0x9f', (label) => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, i) => 0x80 + i));
    const decoded = decodeBody(typed(bytes, `text/plain; charset=${label}`));
    expect(textOf(decoded)?.replace(/\p{Cc}/gu, '?')).toBe('€?‚ƒ„…†‡ˆ‰Š‹Œ?Ž??‘’“”•–—˜™š›œ?žŸ');
  });

  it.each<[string, number[], string]>([
    ['windows-1251', [0xcf, 0xf0], 'Пр'],
    ['ISO-8859-15', [0xa4, 0xe4], '€ä'],
    ['gbk', [0xd6, 0xd0], '中'],
    ['EUC-KR', [0xc7, 0xd1], '한'],
  ])('is decoded as %s', (label, bytes, text) => {
    expect(textOf(decodeBody(typed(Buffer.from(bytes), `text/plain; charset=${label}`)))).toBe(text);
  });

  it('is decoded as Shift_JIS', () => {
    const japanese = Buffer.from('93fa967b', 'hex');
    expect(textOf(decodeBody(typed(japanese, 'text/plain; charset=Shift_JIS')))).toBe('日本');
  });

  it('preserves a replacement character of the service', () => {
    expect(textOf(decodeBody(typed(Buffer.from('a\ufffdb'), undefined)))).toBe('a\ufffdb');
  });

  it.each<[string, Buffer, string | undefined, string]>([
    ['Latin-1 without a charset', Buffer.from(TEXT, 'latin1'), JSON_TYPE, 'is not valid UTF-8'],
    ['Latin-1 as UTF-8', Buffer.from(TEXT, 'latin1'), `${JSON_TYPE}; charset=utf-8`, 'is not valid UTF-8'],
    ['half a character', Buffer.from(TEXT).subarray(0, 20), JSON_TYPE, 'is not valid UTF-8'],
    ['half of a surrogate pair', utf16('\ud83d'), `${JSON_TYPE}; charset=utf-16le`, 'is not valid UTF-16LE'],
    ['an unknown charset', Buffer.from(TEXT), `${JSON_TYPE}; charset=klingon`, 'the charset klingon, which is unknown'],
  ])('is rejected, not guessed: %s', (_, body, contentType, problem) => {
    expect(decodeBody(typed(body, contentType))).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('is shown even if it cannot be decoded', () => {
    expect(toDisplayText(typed(Buffer.from('prüfen', 'latin1'), undefined))).toBe('pr\ufffdfen');
  });
});
