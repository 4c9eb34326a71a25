/** The files of a new formula, made of a template. Pure. */
import { declarationsOf } from '../code/declarations.ts';
import { gitAttributes } from '../folder/git-attributes.ts';
import type { Template } from './template.ts';

/** The files by their names; of TypeScript with the types of its contract and what editors read. */
export function filesOf(template: Template, said: { name: string; description: string }): Record<string, string> {
  const { language, contract, code, casesFile, cases } = template;
  return {
    'manifest.json': json({ ...said, type: 'private', ...contract }),
    [`code.${language}`]: code,
    [`tests/${casesFile}`]: json(cases),
    ...(language === 'ts' && { 'tsconfig.json': json(TSCONFIG), 'formula.d.ts': declarationsOf(contract) }),
    '.gitattributes': gitAttributes(language),
  };
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** For editors and tsc, which only check: the code is bundled when it is run or published. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2021',
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    resolveJsonModule: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
};
