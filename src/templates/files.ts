/** Creates the files of a new formula from a template. Pure. */
import { generateDeclarations } from '../code/declarations.ts';
import { formatGitAttributes } from '../folder/git-attributes.ts';
import type { Template } from './template.ts';

/** The files by name, `schema` is the path of the manifest's schema for editors; for TypeScript with formula.d.ts and a tsconfig.json. */
export function createTemplateFiles(
  template: Template,
  { schema, ...metadata }: { name: string; description: string; schema?: string | undefined },
): Record<string, string> {
  const { language, contract, code, casesFile, cases } = template;
  return {
    'manifest.json': toJson({
      ...(schema !== undefined && { $schema: schema }),
      ...metadata,
      type: 'private',
      ...contract,
    }),
    [`code.${language}`]: code,
    [`tests/${casesFile}`]: toJson(cases),
    ...(language === 'ts' && { 'tsconfig.json': toJson(TSCONFIG), 'formula.d.ts': generateDeclarations(contract) }),
    '.gitattributes': formatGitAttributes(language),
  };
}

const toJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** For type checks by editors and tsc; the code is bundled when it is run or published. */
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
