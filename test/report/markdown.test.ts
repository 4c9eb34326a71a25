/** The Markdown report of a plan, as a parser of CommonMark with GitHub's links and HTML reads it. */
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { formatMarkdownReport, type PlanReport, type ReportStep } from '../../src/report/markdown.ts';
import { redactTexts } from '../../src/report/redact-texts.ts';

const STEP: ReportStep = {
  action: 'update',
  folder: 'formulas/card',
  name: 'Card',
  fields: ['code'],
  remarks: [],
  overwrites: false,
  breaking: [],
  hints: [],
  diff: ['--- service: code', '+++ folder: code', '@@ -1,1 +1,1 @@', '-old', '+new'],
};

const plan = (steps: readonly ReportStep[], more: Partial<PlanReport> = {}): PlanReport => ({
  target: 'production',
  summary: `${steps.length} to update`,
  steps,
  fullPlan: 'formulary formula diff formulas',
  ...more,
});

const HOSTILE = [
  '`',
  '``` ',
  '````js',
  '~~~',
  '</code></summary></details>',
  '<script>alert(1)</script>',
  '<!-- formulary-plan -->',
  '@everyone',
  '#123',
  'GH-1',
  ':tada:',
  'https://evil.example.com',
  '[x](https://evil.example.com)',
  '![x](https://evil.example.com/x.png)',
  '# x',
  '> x',
  '| a |',
  '*a* __b__',
  '&lt;img&gt;',
  '\\',
  ' ',
  '\t',
  '\u200b',
  '\u202e',
  '\n',
  '\r\n\r\n',
];

const render = (markdown: string): string => new MarkdownIt({ html: true, linkify: true }).render(markdown);

/** The rendered page without its code, in which GitHub finds no mentions, references, and links. */
const outsideOfCode = (html: string): string => html.replace(/<pre>.*?<\/pre>|<code>.*?<\/code>/gs, '');

/** The text of each diff. */
const diffs = (markdown: string): string[] =>
  new MarkdownIt({ html: true })
    .parse(markdown, {})
    .flatMap(({ type, content }) => (type === 'fence' ? [content] : []));

/** The names of the tags, in their order. */
const tags = (html: string): string[] => [...html.matchAll(/<(\/?\w+)/g)].map(([, name = '']) => name);

const ALLOWED = ['h2', 'p', 'strong', 'blockquote', 'ul', 'li', 'details', 'summary', 'b'].flatMap((tag) => [
  tag,
  `/${tag}`,
]);

describe('the Markdown report', () => {
  it('shows a long command complete', () => {
    const hint = `To use the local version, run: formulary formula push ${'formulas/team/'.repeat(15)}card --force`;
    const fullPlan = `formulary formula diff ${'formulas/team/'.repeat(15)}card --target production`;
    const many = Array.from({ length: 900 }, (_, i) => ({ ...STEP, folder: `formulas/${i}` }));
    const report = formatMarkdownReport(plan([{ ...STEP, action: 'conflict', hints: [hint] }, ...many], { fullPlan }));
    expect(report).toContain(`\`${hint}\``);
    expect(report).toContain(`the full plan is \`${fullPlan}\``);
    expect(report.length).toBeLessThanOrEqual(65_000);
  });

  it('has the counts, the warnings, and then a collapsed diff for each formula', () => {
    const steps: ReportStep[] = [
      { ...STEP, action: 'create', folder: 'formulas/new', name: 'New' },
      {
        ...STEP,
        overwrites: true,
        breaking: ['breaks callers'],
        remarks: ['overwrites a remote version that may contain changes by others'],
      },
      { ...STEP, action: 'delete', folder: 'formulas/old', name: 'Old', fields: [], diff: [] },
      {
        ...STEP,
        action: 'conflict',
        folder: 'formulas/theirs',
        name: 'Theirs',
        remarks: ['changed by app'],
        hints: ['To see it, run: x'],
      },
    ];
    expect(formatMarkdownReport(plan(steps, { summary: '1 to create, 1 to update' }))).toMatchInlineSnapshot(`
      "## Plan for \`production\`

      **1 to create, 1 to update**

      > [!WARNING]
      > - \`formulas/card\` \`breaks callers\`
      > - **1 formula in conflict; this plan cannot be applied:** \`formulas/theirs\`
      > - **1 formula to be deleted:** \`formulas/old\`
      > - **1 formula overwriting a remote version that may contain changes by others:** \`formulas/card\`

      <details open><summary><b>1 in conflict</b></summary>

      <details><summary><code>formulas/theirs</code> <code>Theirs</code> · code · <code>changed by app</code></summary>

      - \`To see it, run: x\`

      \`\`\`diff
      --- service: code
      +++ folder: code
      @@ -1,1 +1,1 @@
      -old
      +new
      \`\`\`

      </details>

      </details>

      <details open><summary><b>1 to delete</b></summary>

      - \`formulas/old\` \`Old\`

      </details>

      <details open><summary><b>1 to update</b></summary>

      <details><summary><code>formulas/card</code> <code>Card</code> · code · <code>overwrites a remote version that may contain changes by others</code></summary>

      \`\`\`diff
      --- service: code
      +++ folder: code
      @@ -1,1 +1,1 @@
      -old
      +new
      \`\`\`

      </details>

      </details>

      <details open><summary><b>1 to create</b></summary>

      <details><summary><code>formulas/new</code> <code>New</code> · code</summary>

      \`\`\`diff
      --- service: code
      +++ folder: code
      @@ -1,1 +1,1 @@
      -old
      +new
      \`\`\`

      </details>

      </details>

      "
    `);
  });

  it('is a title and a line if there is nothing to do', () => {
    expect(formatMarkdownReport(plan([], { summary: 'nothing to do: 3 up to date', target: undefined }))).toBe(
      '## Plan\n\n**nothing to do: 3 up to date**\n\n',
    );
  });

  it('shows hostile code only as code', () => {
    // A line of context begins with a space, which may precede the end of a fence.
    const lines = HOSTILE.filter((text) => !/[\r\n]/.test(text));
    const code = lines.flatMap((text) => [`+${text}`, ` ${text}`, text]);
    expect(diffs(formatMarkdownReport(plan([{ ...STEP, diff: code }])))).toEqual([`${code.join('\n')}\n`]);
  });

  it('shows hostile names only as code, whatever they contain', () => {
    const hostile = fc.array(fc.constantFrom(...HOSTILE, 'EVIL'), { maxLength: 8 }).map((parts) => parts.join('EVIL'));
    const step = fc.record({ folder: fc.option(hostile), name: hostile, remark: hostile, line: hostile });
    fc.assert(
      fc.property(step, fc.boolean(), ({ folder, name, remark, line }, hasDiff) => {
        const diff = hasDiff ? [` ${line.replace(/[\r\n\u200b\u202e]/g, '')}`] : [];
        const steps = ['conflict', 'update'].map((action) => ({
          ...STEP,
          action,
          folder,
          name,
          remarks: [remark],
          diff,
        }));
        const markdown = formatMarkdownReport(plan(steps, { target: name, fullPlan: remark }));
        const outside = outsideOfCode(render(markdown));
        expect(outside).not.toMatch(/EVIL|evil|@|#\d|:tada:|script|alert/);
        expect(tags(outside).filter((tag) => !ALLOWED.includes(tag))).toEqual([]);
        expect(outside.match(/<details/g)).toHaveLength(outside.match(/<\/details/g)?.length ?? 0);
        expect(diffs(markdown)).toEqual(hasDiff ? [`${diff[0]}\n`, `${diff[0]}\n`] : []);
        expect(markdown).not.toMatch(/[\u200b\u202e\r]/);
      }),
    );
  });

  it('escapes invisible characters of names', () => {
    expect(formatMarkdownReport(plan([{ ...STEP, name: 'a\u200bb\u202ec\nd' }]))).toContain(
      '<code>a\\u{200b}b\\u202ec\\u000ad</code>'.replaceAll('\\', '&#92;'),
    );
  });

  it.each([
    [1, 9000, /\n$/],
    [30, 60_000, /\n\d+ of the diffs not shown in full; the full plan is `formulary formula diff formulas`\n$/],
    [500, 60_000, /\n\d+ of the diffs not shown in full; the full plan is `formulary formula diff formulas`\n$/],
    [5000, 60_000, /\n\d+ more formulas not shown; the full plan is `formulary formula diff formulas`\n$/],
  ])('stays under the limit of a comment with %i formulas, and lists omissions', (count, min, end) => {
    const diff = Array.from({ length: 400 }, (_, line) => `+const value${line} = ${line};`);
    const steps = Array.from({ length: count }, (_, i) => ({ ...STEP, diff, folder: `formulas/card-${i}` }));
    const markdown = formatMarkdownReport(plan(steps));
    expect(markdown.length).toBeGreaterThan(min);
    expect(markdown.length).toBeLessThanOrEqual(65_000);
    expect(markdown).toMatch(end);
    const hidden = Number(/(\d+) more formulas/.exec(markdown)?.[1] ?? 0);
    expect(new Set(markdown.match(/formulas\/card-\d+/g)).size).toBe(count - hidden);
  });

  it('stays under the limit whatever it contains', () => {
    const steps = Array.from({ length: 200 }, () => ({
      ...STEP,
      overwrites: true,
      folder: '&'.repeat(10_000),
      name: '`'.repeat(100_000),
      diff: ['`'.repeat(100_000), '&'.repeat(100_000)],
    }));
    const markdown = formatMarkdownReport(plan(steps, { target: '<'.repeat(100_000), fullPlan: '`'.repeat(10_000) }));
    expect(markdown.length).toBeLessThanOrEqual(65_000);
    expect(markdown).toContain('more formulas not shown');
  });

  it('marks a truncated line, and a truncated diff', () => {
    const diff = [`+${'x'.repeat(1000)}`, ...Array.from({ length: 9000 }, () => '+y = 1234567890;')];
    const [text = ''] = diffs(formatMarkdownReport(plan([{ ...STEP, diff }, STEP])));
    expect(text).toContain('x… (601 more characters)\n');
    expect(text).toMatch(/\n… \d+ more lines\n$/);
  });

  it('collapses a long list, and opens a short one', () => {
    const some = (count: number) => formatMarkdownReport(plan(Array.from({ length: count }, () => STEP)));
    expect(some(20)).toContain('<details open><summary><b>20 to update</b>');
    expect(some(21)).toContain('<details><summary><b>21 to update</b>');
  });

  it('redacts each text before it is escaped', () => {
    const secret = 'key_&secret';
    const step = { ...STEP, folder: secret, name: secret, remarks: [secret], hints: [secret], diff: [`+${secret}`] };
    const redact = (text: string) => text.replaceAll(secret, '[hidden]');
    const markdown = formatMarkdownReport(redactTexts(plan([step], { target: secret, fullPlan: secret }), redact));
    expect(render(markdown)).not.toContain('secret');
    expect(markdown.match(/hidden/g)?.length).toBeGreaterThanOrEqual(5);
  });
});
