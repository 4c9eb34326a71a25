/** Redacts all texts of a report, before escapes change them. */
export function redactTexts<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return redact(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => redactTexts(one, redact)) as T;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, redactTexts(one, redact)])) as T;
}
