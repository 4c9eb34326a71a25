/** Whether code can be bundled here. */

/** The version of esbuild, which is started for that; undefined where it is not installed, or cannot run. */
export async function esbuildVersion(): Promise<string | undefined> {
  try {
    const { transform, version } = await import('esbuild');
    await transform('');
    return version;
  } catch {
    return undefined;
  }
}
