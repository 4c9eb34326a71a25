import { describe, expect, it } from 'vitest';
import { formatAnnotation } from '../../src/report/github.ts';
import { formatJunitReport } from '../../src/report/junit.ts';
import { formatSummary } from '../../src/report/step-summary.ts';

describe('an annotation of GitHub Actions', () => {
  it.each([
    ['error', '::error file=a/manifest.json,line=4,col=11,title=type-value::no'],
    ['warning', '::warning file=a/manifest.json,line=4,col=11,title=type-value::no'],
    ['note', '::notice file=a/manifest.json,line=4,col=11,title=type-value::no'],
  ] as const)('of an %s is its command', (level, text) => {
    expect(
      formatAnnotation('a/manifest.json', {
        file: 'manifest.json',
        level,
        line: 4,
        column: 11,
        rule: 'type-value',
        message: 'no',
      }),
    ).toBe(text);
  });

  it('cannot be escaped by its content', () => {
    const finding = {
      file: 'x',
      level: 'error',
      line: 1,
      column: 1,
      rule: 'r',
      message: '50%\r\n::set-output name=a::b',
    } as const;
    expect(formatAnnotation('a,b:c%\n/x', finding)).toBe(
      '::error file=a%2Cb%3Ac%25%0A/x,line=1,col=1,title=r::50%25%0D%0A::set-output name=a::b',
    );
  });
});

describe('an annotation of foreign text', () => {
  it('contains no control, C1, or bidirectional character, and no other command', () => {
    const finding = {
      file: 'x',
      level: 'error',
      line: 1,
      column: 1,
      rule: 'r',
      message: 'a\u009b31m\u202eb\x1b[2J ##vso[x]',
    } as const;
    expect(formatAnnotation('\u0085\u2066', finding)).toBe(
      '::error file=\\u0085\\u2066,line=1,col=1,title=r::a\\u009b31m\\u202eb\\u001b[2J \\u0023#vso[x]',
    );
  });
});

describe('a JUnit report', () => {
  it('counts its tests, and has a failure for each failed one', () => {
    const report = formatJunitReport('checks', [
      { name: 'fine', folder: 'a', file: null, failures: [], remarks: [] },
      { name: 'noted', folder: 'b', file: 'x.json', durationMs: 1234, failures: [], remarks: ['limits: long'] },
      { name: 'skipped', folder: 'd', file: null, isSkipped: true, failures: [], remarks: [] },
      {
        name: 'bad',
        folder: 'c',
        file: null,
        failures: [
          { type: 'one', message: 'x' },
          { type: 'two', message: 'y' },
        ],
        remarks: [],
      },
    ]);
    expect(report).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" errors="0" skipped="1">
  <testsuite name="checks" tests="4" failures="1" errors="0" skipped="1">
    <testcase name="fine" classname="a" time="0.000"/>
    <testcase name="noted" classname="b" file="b/x.json" time="1.234">
      <system-out>limits: long</system-out>
    </testcase>
    <testcase name="skipped" classname="d" time="0.000">
      <skipped/>
    </testcase>
    <testcase name="bad" classname="c" time="0.000">
      <failure type="one" message="x">one: x
two: y</failure>
    </testcase>
  </testsuite>
</testsuites>
`);
  });

  it('numbers tests of one name, because CI systems show only one of them', () => {
    const one = { name: 't', folder: 'a', failures: [], remarks: [] };
    const names = formatJunitReport('s', [one, { ...one, folder: 'b' }, one, one]).match(/testcase name="[^"]*"/g);
    expect(names).toEqual(['t', 't', 't (2)', 't (3)'].map((name) => `testcase name="${name}"`));
  });

  it('is valid XML for any names', () => {
    const report = formatJunitReport('s', [
      { name: '<&">\n\u0000\ud800\u001b', folder: ']]>', failures: [], remarks: ['\u0085a\ufffe'] },
    ]);
    expect(report).toContain('name="&lt;&amp;&quot;&gt;&#10;\\u0000\\ud800\\u001b" classname="]]&gt;"');
    expect(report).toContain('<system-out>\\u0085a\\u{fffe}</system-out>');
    const hostile = formatJunitReport('s', [{ name: '##vso[x]', folder: '\u202e', failures: [], remarks: [] }]);
    expect(hostile).toContain('name="\\u0023#vso[x]" classname="\\u202e"');
  });
});

const ROW = { status: 'update', name: 'Card', folder: 'formulas/card', detail: 'code' };

describe('summaryMarkdown', () => {
  it('is a title, a line, and a table', () => {
    expect(formatSummary('formulary formula diff', '1 to update', [ROW])).toBe(
      '### formulary formula diff\n\n1 to update\n\n|  | formula | folder |  |\n| --- | --- | --- | --- |\n| update | Card | formulas/card | code |\n\n',
    );
  });

  it('has no table without rows', () => {
    expect(formatSummary('t', 'nothing to do', [])).toBe('### t\n\nnothing to do\n\n');
  });

  it('escapes Markdown, HTML, mentions, and line breaks in names', () => {
    const name = '| [x](https://evil.example.com) <img> `a` *b* @everyone\n\u202e';
    const [, , , , , , row = ''] = formatSummary('t', 'l', [{ ...ROW, name }]).split('\n');
    expect(row.replace(/&#\d+;/g, '')).not.toMatch(/[[\]<>`*@\u202e]/);
    expect(row.split('|')).toHaveLength(6);
  });

  it('is truncated at the limit of GitHub', () => {
    expect(
      formatSummary(
        't',
        'l',
        Array.from({ length: 1003 }, () => ROW),
      ),
    ).toMatch(/\n\nand 3 more\n\n$/);
  });

  it('stays under the limit of GitHub, whatever is in the rows', () => {
    const rows = Array.from({ length: 900 }, () => ({ ...ROW, name: '|'.repeat(100_000) }));
    const markdown = formatSummary('t', 'l', rows);
    expect(Buffer.byteLength(markdown)).toBeLessThan(2 ** 19);
    expect(markdown).toMatch(/\n\nand \d+ more\n\n$/);
  });
});
