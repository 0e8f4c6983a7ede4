import type { AskMessage, FiguresMessage, ProcessFigures } from '../../observability/process-metrics.ts';
import { type DatabaseProblem, nodeOf, problemOf } from '../../store/database-problem.ts';

/** The message of a process to the first one when its work failed, with what the error tells of the database. */
export interface TroubleMessage {
  readonly trouble: DatabaseProblem | null;
}

/** The message of a process to the first one that its event loop turns. */
export interface BeatMessage {
  readonly beat: true;
}

/** How often a process says that it works. */
export const BEAT_EVERY_MS = 1_000;

/** Says to the first process, from now on, that this one works. */
export function beatForFirstProcess(): void {
  const beat = () => {
    if (process.connected) process.send?.({ beat: true } satisfies BeatMessage);
  };
  beat();
  setInterval(beat, BEAT_EVERY_MS).unref();
}

/** Often enough for a watch that looks every second. */
const TELL_EVERY_MS = 1_000;

/** Tells the first process, which watches the database for all, that work failed: at most once a second for each reason and worker. */
export function troublesForFirstProcess(): (error: unknown) => void {
  const toldAtMs = new Map<string, number>();
  return (error) => {
    const trouble = problemOf(error) ?? null;
    const kind = trouble ? `${trouble.reason} ${nodeOf(trouble)}` : '';
    if (performance.now() - (toldAtMs.get(kind) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS) return;
    toldAtMs.set(kind, performance.now());
    if (process.connected) process.send?.({ trouble } satisfies TroubleMessage);
  };
}

/** Sends the metrics of this process to the first one, from now on whenever it asks. */
export function metricsForFirstProcess(collect: () => Promise<ProcessFigures>): void {
  process.on('message', async ({ asksFor }: Partial<AskMessage>) => {
    if (asksFor !== 'metrics') return;
    const figures = await collect().catch(() => null);
    if (process.connected) process.send?.({ figures } satisfies FiguresMessage);
  });
}
