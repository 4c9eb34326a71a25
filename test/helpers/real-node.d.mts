export function realNode(major: number | string): string | undefined;
export function installNode(major: number | string): string | undefined;
