/**
 * For tests that wait: so long a test, or all tests of a suite, may take before it fails instead of hanging. Less than the silence after
 * which a file is given up, and no measure of anything.
 */
export const HANG_LIMIT = { timeout: 280_000 };
