import type { Worker } from 'node:cluster';
import { AggregatorRegistry, Gauge, type Registry } from 'prom-client';

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

/** Longer than figures wait for the database (`in-time.ts`). */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * The sum over the processes that live, with the one that started them, and what those that ended have counted. Of a process that is silent
 * the last figures stay, and a gauge counts it. The answers must not overlap.
 *
 * @param own The metrics of the one that started them.
 * @param processes Those that take requests now.
 */
export function collectFromProcesses(own: Registry, processes: ReadonlySet<Worker>): () => Promise<string> {
  const known = new Map<Worker, ProcessFigures>();
  let ofEnded: ProcessFigures = [];
  const silentOnes = new Gauge({
    name: 'partner_impact_processes_silent',
    help: 'Processes that take requests and did not send their figures within 5 s: their last figures are shown.',
    registers: [own],
  });
  return async () => {
    const asked = [...processes];
    const answers = await Promise.all(asked.map(askForFigures));
    let silent = 0;
    for (const [index, worker] of asked.entries()) {
      const answer = answers[index];
      if (answer) known.set(worker, answer);
      else if (processes.has(worker)) silent += 1;
    }
    const ended = [...known].filter(([worker]) => !processes.has(worker));
    ofEnded = await addCounted(ofEnded, ended);
    for (const [worker] of ended) known.delete(worker);
    silentOnes.set(silent);
    const living = asked.filter((worker) => processes.has(worker));
    const figures = [...living.map((worker) => known.get(worker) ?? []), await own.getMetricsAsJSON(), ofEnded];
    return AggregatorRegistry.aggregate(figures).metrics();
  };
}

/**
 * A sum that falls looks to Prometheus like a restart, after which the sum itself is new: a rate would show what the processes that live have
 * ever counted.
 *
 * @returns One total, however many processes ended. What one of them had at a moment, such as connections, is not in it.
 */
async function addCounted(total: ProcessFigures, ended: readonly [Worker, ProcessFigures][]): Promise<ProcessFigures> {
  if (ended.length === 0) return total;
  const counted = ended.map(([, figures]) => figures.filter(({ type }) => COUNTED.has(String(type))));
  return AggregatorRegistry.aggregate([total, ...counted]).getMetricsAsJSON();
}

/** As prom-client writes its types. */
const COUNTED: ReadonlySet<string> = new Set(['counter', 'histogram']);

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
