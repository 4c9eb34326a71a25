/** .gitattributes of a formula folder, which keeps git from changing the bytes of the code. */

/** The languages that the code can be in. */
export type Language = 'js' | 'ts';

export const formatGitAttributes = (language: Language): string => `${REASONS[language]}\ncode.${language} -text\n`;

const REASONS: Readonly<Record<Language, string>> = {
  js: '# The code is published byte for byte, so git must not change its line endings.',
  ts: '# What is published must not depend on the line endings that git would write.',
};
