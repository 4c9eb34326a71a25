/** Validates icons (spec 2.3): a base64 data URL of a PNG or JPEG image. */

const DATA_URL_PREFIX = /^data:image\/(?:png|jpg|jpeg);base64, ?/;

/** True for a valid icon or none (null, missing, empty). The image itself is not checked. */
export function isValidIcon(icon: unknown): boolean {
  if (icon === undefined || icon === null || icon === '') return true;
  if (typeof icon !== 'string') return false;
  const prefixLength = DATA_URL_PREFIX.exec(icon)?.[0].length;
  if (prefixLength === undefined || icon.length === prefixLength || (icon.length - prefixLength) % 4 !== 0)
    return false;
  const padding = icon.endsWith('==') ? 2 : icon.endsWith('=') ? 1 : 0;
  return !/[^A-Za-z0-9+/]/.test(icon.slice(prefixLength, icon.length - padding));
}
