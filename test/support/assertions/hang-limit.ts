/**
 * For tests that wait: so long a test, or all tests of a suite, may take before it fails instead of hanging. Less than the silence after
 * which a file is given up, and no measure of anything. Tests of a mutant, of which some have to hang, get less in `HANG_LIMIT_MS`.
 */
export const HANG_LIMIT = { timeout: Number(process.env['HANG_LIMIT_MS'] ?? 280_000) };
