/** Converts a formula to the files of a folder, from which the same formula is read. */
import { MANIFEST_FIELDS, toRequestBody } from '../formula-fields.ts';
import type { Formula, FormulaBody, RequestParameter } from '../model.ts';
import { identifyIcon } from './icon.ts';
import { toManifestBody } from './manifest.ts';

interface IconFile {
  name: 'icon.png' | 'icon.jpg';
  bytes: Buffer;
}

export interface FormulaFiles {
  /** The formula that these files define. */
  body: FormulaBody;
  code: Buffer;
  icon: IconFile | undefined;
  /** Why the icon of the service was not written. */
  iconProblem?: string;
}

/** The files of a formula, or why files cannot represent it. */
export function toFormulaFiles(formula: Formula): FormulaFiles | { problem: string } {
  const body = toRequestBody(formula);
  if (!body.code.isWellFormed())
    return { problem: 'its code contains an unpaired surrogate, which UTF-8 cannot encode' };
  const code = Buffer.from(body.code);
  if (!body.icon) return { body, code, icon: undefined };
  const icon = toIconFile(body);
  if ('bytes' in icon) return { body, code, icon };
  const { icon: _, ...others } = body;
  return { body: others, code, icon: undefined, iconProblem: icon.problem };
}

/** The icon file, named by its actual type; its data URL is preserved as long as the bytes are the same. */
function toIconFile(body: FormulaBody): IconFile | { problem: string } {
  const [, data] = /^data:[^,]*;base64,\s*(.+)$/s.exec(body.icon ?? '') ?? [];
  if (data === undefined) return { problem: 'is not base64 data' };
  const bytes = Buffer.from(data, 'base64');
  const kind = identifyIcon(bytes);
  if (kind.type === undefined) return { problem: `must be a PNG or JPEG (got ${kind.found})` };
  if (kind.problem) return { problem: `is ${kind.problem}` };
  return { name: kind.type === 'image/png' ? 'icon.png' : 'icon.jpg', bytes };
}

/** manifest.json of a formula; `$schema` and custom keys of the existing manifest are preserved. */
export function formatManifest(body: FormulaBody, other: object = {}): string {
  const { $schema, ...others } = other as Record<string, unknown>;
  const sent = toManifestBody(body);
  const manifest = {
    ...($schema !== undefined && { $schema }),
    ...sent,
    description: sent.description ?? undefined,
    configuration: sent.configuration.map(omitDefaults),
    request_parameters: sent.request_parameters.map(omitDefaults),
  };
  const extraKeys = Object.entries(others).filter(([key]) => !MANIFEST_FIELDS.includes(key));
  return `${JSON.stringify({ ...manifest, ...Object.fromEntries(extraKeys) }, null, 2)}\n`;
}

const omitDefaults = (element: Partial<RequestParameter>) => ({
  ...element,
  description: element.description ?? undefined,
  optional: element.optional || undefined,
});
