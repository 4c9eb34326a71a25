import { describe, expect, it } from 'vitest';
import { iconDataUrl, identifyIcon } from '../../src/folder/icon.ts';
import { JPEG, PIXEL } from '../helpers/folders.ts';

describe('an icon', () => {
  it.each([
    ['a PNG', PIXEL, { type: 'image/png', whole: true }],
    ['a PNG with bytes after its end', Buffer.concat([PIXEL, Buffer.from('more')]), { type: 'image/png', whole: true }],
    ['a PNG that is cut off', PIXEL.subarray(0, -3), { type: 'image/png', whole: false }],
    ['a JPEG', JPEG, { type: 'image/jpeg', whole: true }],
    ['a JPEG that is cut off', JPEG.subarray(0, -2), { type: 'image/jpeg', whole: false }],
    [
      'a JPEG with an end mark inside a segment only',
      Buffer.from('ffd8ffe00006ffd90000', 'hex'),
      { type: 'image/jpeg', whole: false },
    ],
    ['a JPEG cut in a length', Buffer.from('ffd8ffe000', 'hex'), { type: 'image/jpeg', whole: false }],
    ['a JPEG with a scan', Buffer.from('ffd8ffda0004000011223344ffd9', 'hex'), { type: 'image/jpeg', whole: true }],
    ['nothing', Buffer.alloc(0), { type: undefined, found: 'empty' }],
    ['an SVG', Buffer.from('<?xml version="1.0"?>\n<svg xmlns="x"/>'), { type: undefined, found: 'an SVG image' }],
    ['an SVG with a byte order mark', Buffer.from('\ufeff<svg></svg>'), { type: undefined, found: 'an SVG image' }],
    ['a web page', Buffer.from('<!DOCTYPE html><html></html>'), { type: undefined, found: 'an HTML page' }],
    ['a GIF', Buffer.from('GIF89a'), { type: undefined, found: 'a GIF image' }],
    ['a WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8 '), { type: undefined, found: 'a WebP image' }],
    ['something else', Buffer.from('hello'), { type: undefined, found: 'no image that is known' }],
  ])('that is %s is known by its bytes', (_, bytes, kind) => {
    expect(identifyIcon(bytes)).toEqual(kind);
  });

  it('is sent as a data URL of the type that its bytes show', () => {
    expect(iconDataUrl(JPEG)).toBe(`data:image/jpeg;base64,${JPEG.toString('base64')}`);
  });
});
