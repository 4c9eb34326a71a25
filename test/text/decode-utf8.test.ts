import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../../src/text/decode-utf8.ts';
import { positionAt } from '../../src/text/source-position.ts';

describe('bytes that should be UTF-8', () => {
  it.each([
    ['Latin-1', Buffer.from('ab\ncafé', 'latin1'), 'byte 0xe9 at offset 6', 2, 4],
    ['UTF-16', Buffer.from('\ufeffab', 'utf16le'), 'UTF-16', 1, 1],
    ['an image', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d]), 'a PNG image', 1, 1],
    ['a NUL byte', Buffer.from('ab\n\0'), 'a NUL byte', 2, 1],
    ['a truncated character', Buffer.from('aé').subarray(0, 2), 'byte 0xc3 at offset 1', 1, 2],
    [
      'a bad byte after a real replacement character',
      Buffer.concat([Buffer.from('\ufffdé\ufffd'), Buffer.from([0xff])]),
      'byte 0xff at offset 8',
      1,
      4,
    ],
  ])('are rejected if they are %s, with the position', (_, bytes, found, line, column) => {
    expect(decodeUtf8(bytes)).toMatchObject({ found: expect.stringContaining(found), position: { line, column } });
  });

  it('lose only their byte order mark', () => {
    expect(decodeUtf8(Buffer.from('\ufeffa\ufeff\r\n\u2028'))).toEqual({ text: 'a\ufeff\r\n\u2028' });
  });
});

describe('a position in a file', () => {
  it.each([
    ['a\nb', 2, 2, 1],
    ['a\r\nb', 3, 2, 1],
    ['a\rb', 2, 2, 1],
    ['abc', 2, 1, 3],
    ['a\n', 2, 2, 1],
    ['', 0, 1, 1],
  ])('of %j at offset %d is line %d, column %d', (text, offset, line, column) => {
    expect(positionAt(text, offset)).toEqual({ line, column });
  });
});
