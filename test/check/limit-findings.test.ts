import { describe, expect, it } from 'vitest';
import { limitFindings } from '../../src/check/limit-findings.ts';
import type { Finding } from '../../src/rules/rule.ts';

const finding = (rule: string, line: number, level: Finding['level'] = 'warning'): Finding => ({
  file: 'manifest.json',
  line,
  column: 1,
  level,
  rule,
  message: `of ${rule}`,
  fix: 'change it',
});

const many = (rule: string, count: number, level?: Finding['level']) =>
  Array.from({ length: count }, (_, i) => finding(rule, i + 1, level));

describe('limitFindings', () => {
  it('does not change a hundred of each rule', () => {
    const findings = [...many('a', 100), ...many('b', 100)];
    expect(limitFindings(findings)).toEqual(findings);
  });

  it('counts the remaining findings of a rule at the first one that is not shown', () => {
    const { fix: _, ...place } = finding('a', 101);
    expect(limitFindings(many('a', 200_000))).toEqual([
      ...many('a', 100),
      { ...place, message: '… and 199,900 more a' },
    ]);
  });

  it('hides no error behind the warnings of its rule', () => {
    const limited = limitFindings([...many('a', 150), ...many('a', 2, 'error'), ...many('b', 1)]);
    expect(limited.slice(101)).toEqual([...many('a', 2, 'error'), ...many('b', 1)]);
  });
});
