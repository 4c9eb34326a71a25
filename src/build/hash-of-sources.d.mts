export function hashOfSources(top: string): string;
