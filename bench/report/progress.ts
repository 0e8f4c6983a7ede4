const startedAt = performance.now();

/** What is under way, for the person who waits; never on standard output. */
export function progress(sentence: string): void {
  process.stderr.write(`${formatDuration((performance.now() - startedAt) / 1_000).padStart(7)}  ${sentence}\n`);
}

/** `48 s`, `3 min`, `1.5 h`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?';
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
