/** The types of storm-service.mjs, for the tests that use it. */
export const MODES: readonly string[];

export function startService(options: { mode: string; seed: number; share: number }): Promise<{
  url: string;
  formulas: { id: string; name: string; code: string }[];
  faults: Record<string, number>;
  stop(): void;
}>;
