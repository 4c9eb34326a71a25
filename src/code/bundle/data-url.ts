/** Imports of `data:` URLs, which contain code or JSON. */
import type { Loader } from 'esbuild';
import { BundleError } from './bundle-error.ts';

export interface DataUrlContent {
  contents: Buffer;
  loader: Loader;
}

const LOADERS: Readonly<Record<string, Loader>> = { 'text/javascript': 'js', 'application/json': 'json' };

/** Throws BundleError for other types, which esbuild would load itself. */
export function parseDataUrl(url: string): DataUrlContent {
  const [, type = '', base64, text = ''] = /^data:([^,;]*)(?:;(?!base64)[^,;]*)*(;base64)?,(.*)$/is.exec(url) ?? [];
  const loader = Object.hasOwn(LOADERS, type.toLowerCase()) ? LOADERS[type.toLowerCase()] : undefined;
  if (!loader)
    throw new BundleError(
      `the type of a data: URL must be ${Object.keys(LOADERS).join(' or ')} (got ${JSON.stringify(type)})`,
    );
  try {
    return { loader, contents: base64 ? Buffer.from(text, 'base64') : Buffer.from(decodeURIComponent(text)) };
  } catch {
    throw new BundleError('the content of a data: URL must be encoded as in URLs');
  }
}
