/** .gitattributes of a formula folder, which prevents git from changing the line endings of the code. */

/** The languages of the code. */
export type Language = 'js' | 'ts';

export const formatGitAttributes = (language: Language): string => `${REASONS[language]}\ncode.${language} -text\n`;

const REASONS: Readonly<Record<Language, string>> = {
  js: '# The code is published byte for byte, so git must not change its line endings.',
  ts: '# The published code must not depend on line endings, so git must not change them.',
};
