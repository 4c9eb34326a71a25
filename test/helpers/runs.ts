/** How many runs a property gets: few, so that tests are quick; FORMULARY_TEST_RUNS=20 makes twenty times as many. */
export const runs = (count: number): number => Math.ceil(count * Number(process.env['FORMULARY_TEST_RUNS'] ?? 1));
