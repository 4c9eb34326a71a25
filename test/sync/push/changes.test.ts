import { describe, expect, it } from 'vitest';
import { describeIcon } from '../../../src/sync/push/changes.ts';

describe('the description of an icon', () => {
  it.each([
    ['data:image/png;base64,AAAA', /^image\/png, 3 bytes, sha256 [0-9a-f]{12}$/],
    ['data:image/png,AAAA', /^image\/png, 3 bytes/],
    ['data:image/jpg;base64, AAAA', /^image\/jpg, 3 bytes/],
    ['', /^unknown type, 0 bytes/],
    [`data:${'a'.repeat(400_000)}`, /^unknown type, /],
  ])('contains its type, size, and hash: %.30s', (dataUrl, text) => {
    expect(describeIcon(dataUrl)).toMatch(text);
  });
});
