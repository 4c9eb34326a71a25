/** What the service takes for an icon (spec 2.3): a base64 data URL of a PNG or JPEG image. */

const START = /^data:image\/(?:png|jpg|jpeg);base64, ?/;

/** True for an icon or none (null, absent, empty). The image behind it is not looked at. */
export function isIcon(icon: unknown): boolean {
  if (icon === undefined || icon === null || icon === '') return true;
  if (typeof icon !== 'string') return false;
  const start = START.exec(icon)?.[0].length;
  if (start === undefined || icon.length === start || (icon.length - start) % 4 !== 0) return false;
  const padding = icon.endsWith('==') ? 2 : icon.endsWith('=') ? 1 : 0;
  return !/[^A-Za-z0-9+/]/.test(icon.slice(start, icon.length - padding));
}
