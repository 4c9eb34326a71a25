import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identifyIcon, readIconSize, toIconDataUrl } from '../../src/folder/icon.ts';
import { JPEG, PIXEL } from '../helpers/folders.ts';

/** The pixel with a chunk of four bytes before all others. */
const withFirstChunk = (name: string) =>
  Buffer.concat([PIXEL.subarray(0, 8), Buffer.from([0, 0, 0, 4]), Buffer.from(`${name}dataCRC0`), PIXEL.subarray(8)]);

const PNG = { type: 'image/png', problem: undefined };
const WHOLE = { type: 'image/jpeg', problem: undefined };
const CUT = { type: 'image/jpeg', problem: 'truncated' };
const SVG = { type: undefined, found: 'an SVG image' };

describe('an icon', () => {
  it.each([
    ['a PNG', PIXEL, PNG],
    ['a PNG with bytes after its end', Buffer.concat([PIXEL, Buffer.from('more')]), PNG],
    ['a truncated PNG', PIXEL.subarray(0, -3), { type: 'image/png', problem: 'truncated' }],
    ['a JPEG', JPEG, WHOLE],
    ['a truncated JPEG', JPEG.subarray(0, -2), CUT],
    ['a JPEG with an end mark inside a segment only', Buffer.from('ffd8ffe00006ffd90000', 'hex'), CUT],
    ['a JPEG cut in a length', Buffer.from('ffd8ffe000', 'hex'), CUT],
    ['a whole JPEG', Buffer.from('ffd8ffda0004000011223344ffd9', 'hex'), WHOLE],
    ['a JPEG without a scan', Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'), CUT],
    ['a JPEG of two marks', Buffer.from('ffd8ffd9', 'hex'), CUT],
    [
      'a JPEG with standalone markers and fill bytes',
      Buffer.from('ffd8ff01ffffe00004aabbffd0ffda0004000011223344ffd9', 'hex'),
      WHOLE,
    ],
    ['a PNG as tools of Apple write it', withFirstChunk('CgBI'), PNG],
    ['a PNG that begins with another chunk', withFirstChunk('tEXt'), { type: 'image/png', problem: 'truncated' }],
    ['nothing', Buffer.alloc(0), { type: undefined, found: 'empty' }],
    ['an SVG', Buffer.from('<?xml version="1.0"?>\n<svg xmlns="x"/>'), SVG],
    ['an SVG with a byte order mark', Buffer.from('\ufeff<svg></svg>'), SVG],
    ['an SVG behind comments', Buffer.from('<!-- a -->\n<!-- b --> <svg>'), SVG],
    ['an SVG with a type', Buffer.from('<!DOCTYPE svg PUBLIC "x">'), SVG],
    ['a page behind comments', Buffer.from('<!-- a --><html>'), { type: undefined, found: 'an HTML page' }],
    ['a web page', Buffer.from('<!DOCTYPE html><html></html>'), { type: undefined, found: 'an HTML page' }],
    ['a GIF', Buffer.from('GIF89a'), { type: undefined, found: 'a GIF image' }],
    ['a WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8 '), { type: undefined, found: 'a WebP image' }],
    ['something else', Buffer.from('hello'), { type: undefined, found: 'an unknown format' }],
  ])('that is %s is recognized by its bytes', (_, bytes, kind) => {
    expect(identifyIcon(bytes)).toEqual(kind);
  });

  it('that begins with a hundred comments is recognized in linear time', () => {
    const bytes = readFileSync(join(import.meta.dirname, '../fixtures/icons/comments.svg'));
    expect(identifyIcon(bytes)).toEqual({ type: undefined, found: 'an unknown format' });
  });

  it('is sent as a data URL of the type that its bytes show', () => {
    expect(toIconDataUrl(JPEG)).toBe(`data:image/jpeg;base64,${JPEG.toString('base64')}`);
  });
});

describe('the size of an icon', () => {
  const frame = Buffer.from(
    'ffd8ffe000104a46494600010100000100010000ffc0000b08000a00140101110000ffda0004000011223344ffd9',
    'hex',
  );
  it.each<[string, Buffer, object | undefined]>([
    ['a PNG', PIXEL, { width: 1, height: 1 }],
    ['a JPEG', frame, { width: 20, height: 10 }],
    ['a JPEG without a frame', JPEG, undefined],
    ['a truncated JPEG', frame.subarray(0, 25), undefined],
    ['a truncated PNG', PIXEL.subarray(0, 18), undefined],
    ['anything else', Buffer.from('GIF89a'), undefined],
    ['nothing', Buffer.alloc(0), undefined],
  ])('of %s is read from its bytes', (_, bytes, size) => {
    expect(readIconSize(bytes)).toEqual(size);
  });
});
