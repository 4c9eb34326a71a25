/** Why a file cannot be part of a bundle, as it is reported. */
export class BundleError extends Error {
  readonly fix: string | undefined;

  constructor(message: string, fix?: string) {
    super(message);
    this.fix = fix;
  }
}
