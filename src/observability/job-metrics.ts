import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { shared } from './shared-answer.ts';

/** The database's figures of jobs. Every process reports the same. */
export interface JobWatch {
  listJobStates(): Promise<readonly { jobName: string; lastSuccessAt: Date | null }[]>;
  /** How many modified records the last daily verification found, or a later one that failed or was stopped, if more; `undefined` before the first. */
  findDifferences(): Promise<number | undefined>;
}

/** The figures of a run of a job that has ended. */
export interface EndedRunFigures {
  readonly job: { readonly name: string };
  readonly outcome: string;
  readonly milliseconds: number;
  /** How many partners' work it left, because it failed for them or their rows could not be read. */
  readonly partnersLeft: number;
}

/** @returns What counts a run that has ended. */
export function measureJobs(registry: Registry, watch: JobWatch): (run: EndedRunFigures) => void {
  measureDifferences(registry, watch);
  const listJobStates = shared(watch.listJobStates);
  measureSuccesses(registry, listJobStates);
  const countLeft = measureLeft(registry, listJobStates);
  const runs = new Counter({
    name: 'partner_impact_job_runs_total',
    help: 'Runs of jobs by the schedule that ended in this service, by job and outcome: succeeded, failed, stopped or abandoned. Those that an operator began in the console are not counted.',
    labelNames: ['job', 'outcome'],
    registers: [registry],
    // An alert on the increase sees a first failure only where 0 was there before.
    async collect() {
      for (const { jobName: job } of await listJobStates().catch(() => [])) this.inc({ job, outcome: 'failed' }, 0);
    },
  });
  const durations = new Histogram({
    name: 'partner_impact_job_duration_seconds',
    help: 'Time from the beginning of a run to its end.',
    labelNames: ['job'],
    buckets: [0.01, 0.1, 1, 10, 60, 300, 1_800, 7_200],
    registers: [registry],
  });
  return ({ job: { name }, outcome, milliseconds, partnersLeft }) => {
    countLeft(name, partnersLeft);
    runs.inc({ job: name, outcome });
    durations.observe({ job: name }, milliseconds / 1_000);
  };
}

function measureDifferences(registry: Registry, { findDifferences }: JobWatch): void {
  // It changes once a day: what was read before an outage of the database is still true.
  let known: number | undefined;
  new Gauge({
    name: 'partner_impact_verify_differences',
    help: 'Modified records that the last daily verification found, or a later one that failed or was stopped, if more; 0 before the first, absent until it can be read.',
    registers: [registry],
    aggregator: 'max',
    async collect() {
      known = await findDifferences().then(
        (count) => count ?? 0,
        () => known,
      );
      if (known === undefined) this.remove();
      else this.set(known);
    },
  });
}

function measureSuccesses(registry: Registry, listJobStates: JobWatch['listJobStates']): void {
  new Gauge({
    name: 'partner_impact_job_last_success_timestamp_seconds',
    help: 'When the job last succeeded, seconds since 1970; absent before its first success.',
    labelNames: ['job'],
    registers: [registry],
    aggregator: 'max',
    async collect() {
      for (const { jobName, lastSuccessAt } of await listJobStates().catch(() => []))
        if (lastSuccessAt) this.set({ job: jobName }, lastSuccessAt.getTime() / 1_000);
    },
  });
}

/** @returns What remembers how many partners' work the last run of a job in this process left. */
function measureLeft(registry: Registry, listJobStates: JobWatch['listJobStates']): (job: string, count: number) => void {
  /** Of the jobs that ran here: the last success of all processes, as it was read first after that run. */
  const successes = new Map<string, number | undefined>();
  const left = new Gauge({
    name: 'partner_impact_job_partners_left',
    help: 'Partners whose work the last run of the job in this process left, until a run succeeds: it failed for them, or their rows could not be read.',
    labelNames: ['job'],
    registers: [registry],
    aggregator: 'max',
    async collect() {
      for (const { jobName, lastSuccessAt } of await listJobStates().catch(() => [])) {
        if (!successes.has(jobName)) continue;
        const success = Number(lastSuccessAt);
        // Another process has done what this one left.
        if (success !== (successes.get(jobName) ?? success)) this.set({ job: jobName }, 0);
        successes.set(jobName, success);
      }
    },
  });
  return (job, count) => {
    left.set({ job }, count);
    successes.set(job, undefined);
  };
}
