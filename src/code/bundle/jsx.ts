/** Detects JSX in TypeScript, which esbuild reports as a broken type assertion or regular expression. */
import type { Message, TransformOptions } from 'esbuild';

/** esbuild's `transform`, which reads no files. */
export type Transform = (text: string, options: TransformOptions) => Promise<{ code: string; warnings: Message[] }>;

/** esbuild's message about JSX in JavaScript. */
const JSX = 'The JSX syntax extension is not currently enabled';

/** `sourceFor`: the file and text of a name of esbuild. */
export const withJsxNamed = (
  errors: readonly Message[],
  sourceFor: (name: string) => { file: string; text: string } | undefined,
  transform: Transform,
): Promise<Message[]> =>
  Promise.all(
    errors.map(async (message) => {
      const { file = '', text = '' } = (message.location && sourceFor(message.location.file)) ?? {};
      return /\.[cm]?ts$/.test(file) && (await isJsx(text, transform)) ? { ...message, text: JSX } : message;
    }),
  );

const isJsx = async (text: string, transform: Transform): Promise<boolean> =>
  !(await isValid(text, 'ts', transform)) && (await isValid(text, 'tsx', transform));

const isValid = (text: string, loader: 'ts' | 'tsx', transform: Transform): Promise<boolean> =>
  transform(text, { loader, logLevel: 'silent' }).then(
    () => true,
    () => false,
  );
