/** `data:` URLs that are imported: code or JSON that is written in the import itself. */
import type { Loader } from 'esbuild';

export interface Data {
  contents: Buffer;
  loader: Loader;
}

const LOADERS: Readonly<Record<string, Loader>> = { 'text/javascript': 'js', 'application/json': 'json' };

export function parseDataUrl(url: string): Data | undefined {
  const [, type = '', base64, text = ''] = /^data:([^,;]*)(?:;(?!base64)[^,;]*)*(;base64)?,(.*)$/is.exec(url) ?? [];
  const loader = LOADERS[type.toLowerCase()];
  if (!loader) return undefined;
  try {
    return { loader, contents: base64 ? Buffer.from(text, 'base64') : Buffer.from(decodeURIComponent(text)) };
  } catch {
    return undefined;
  }
}
