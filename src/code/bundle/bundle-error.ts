/** The reason why a file cannot be bundled, for a finding. */
export class BundleError extends Error {
  readonly fix: string | undefined;

  constructor(message: string, fix?: string) {
    super(message);
    this.fix = fix;
  }
}
