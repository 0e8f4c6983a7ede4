import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** The metrics of a process, as it sends them to the first one. */
export type ProcessFigures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The message of the first process that asks for them. */
export interface AskMessage {
  readonly asksFor: 'metrics';
}

export interface FiguresMessage {
  /** `null` where they could not be collected. */
  readonly figures: ProcessFigures | null;
}

/** Longer than figures wait for the database. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * The sum over the processes that live, for the process that started them, and what this one knows itself. Of a process that is silent
 * the last figures stay, and a comment says so.
 *
 * @param processes Those that take requests now.
 */
export function collectFromProcesses(own: Registry, processes: ReadonlySet<Worker>): () => Promise<string> {
  const known = new WeakMap<Worker, ProcessFigures>();
  return async () => {
    const asked = [...processes];
    const answers = await Promise.all(asked.map(askForFigures));
    const figures: ProcessFigures[] = [];
    let silent = 0;
    for (const [index, worker] of asked.entries()) {
      if (!processes.has(worker)) continue;
      const answer = answers[index];
      if (answer) known.set(worker, answer);
      else silent += 1;
      figures.push(known.get(worker) ?? []);
    }
    const comment =
      silent === 0 ? '' : `# ${silent} of ${figures.length} processes did not answer: their last figures are shown.\n`;
    return `${comment}${await AggregatorRegistry.aggregate(figures).metrics()}\n${await own.metrics()}`;
  };
}

/** @returns Nothing where the process is silent, or ends. */
function askForFigures(worker: Worker): Promise<ProcessFigures | null> {
  const { promise, resolve } = Promise.withResolvers<ProcessFigures | null>();
  const onMessage = ({ figures }: Partial<FiguresMessage>) => void (figures === undefined || resolve(figures));
  const onExit = () => resolve(null);
  const timer = setTimeout(onExit, ANSWER_TIMEOUT_MS);
  worker.on('message', onMessage).on('exit', onExit);
  // Where the process ends just now, its end says so.
  worker.send({ asksFor: 'metrics' } satisfies AskMessage, () => {});
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', onMessage).off('exit', onExit);
  });
}
