/**
 * Sample data: a quarter that the service's own operations write, on a clock that is behind. Nothing is written by other ways: records
 * are sealed, audited and verified as those of a partner.
 */
import { repeat } from '../concurrency/repeat.ts';
import { setIdentifierTime } from '../domain/identifiers.ts';
import { registerJobs } from '../schedule/run-job.ts';
import { holdJobs } from '../store/jobs/job.ts';
import { createPastClock, dropPastClock, findPastDone, lockSampleData, updatePastDone } from '../store/sandbox/past-clock.ts';
import { findSampleData } from '../store/sandbox/sample-data.ts';
import { beginnings } from './beginnings.ts';
import { correctionScenes } from './corrections.ts';
import { decisionScenes } from './decisions.ts';
import { type Deliveries, deliveryScenes, openDeliveries } from './deliveries.ts';
import { endingScenes, runJobs } from './endings.ts';
import { DAYS, makePlan, type Plan } from './plan.ts';
import { plantingScenes } from './planting.ts';
import { salesScenes } from './sales.ts';
import { Sample, type SampleTools, type Scene } from './sample.ts';
import { settlementScenes } from './settlements.ts';

/** How long the jobs of running services are held, unless this process holds them again. */
const HOLD_MS = 60_000;
const HOLD_EVERY_MS = 15_000;
const PROGRESS_PARTS = 4;

/** `made`: complete now. `none`: there was nothing to do. `busy`: another process makes them. `stopped`: a later call continues. */
export type SampleOutcome = 'made' | 'none' | 'busy' | 'stopped';

/**
 * Makes the sample data that are to be made, or continues what an interrupted run left. Every step is done once, whenever a run ends.
 */
export async function makeSampleData(tools: SampleTools): Promise<SampleOutcome> {
  const unlock = await lockSampleData(tools.database);
  if (!unlock) return 'busy';
  try {
    const wanted = await findSampleData(tools.database.pool);
    if (wanted?.status !== 'making') return 'none';
    return await make(tools, makePlan(wanted.endsAt, tools.share));
  } finally {
    await unlock();
  }
}

async function make(tools: SampleTools, plan: Plan): Promise<SampleOutcome> {
  const { database, jobs, onProgress, signal } = tools;
  await createPastClock(database);
  await registerJobs(database, jobs);
  await holdJobs(database.pool, HOLD_MS);
  const endHolding = repeat({
    pauseMs: HOLD_EVERY_MS,
    onError: () => {},
    work: () => holdJobs(database.pool, HOLD_MS),
  });
  const sample = new Sample(tools, plan);
  const present = setIdentifierTime(() => sample.at.getTime());
  const isWhole = await play(sample).finally(async () => {
    setIdentifierTime(present);
    await endHolding();
  });
  if (!isWhole) return 'stopped';
  await holdJobs(database.pool, 0);
  await runJobs(sample);
  await dropPastClock(database, 'made');
  onProgress(
    `Sample data: ready, ${plan.sales.length} contributions of ${DAYS} days. ` +
      'To be rid of them, stop the service; `npx partner-impact demo remove` empties the whole database, your own records too.',
  );
  return signal.aborted ? 'stopped' : 'made';
}

/** @returns Whether all was played; otherwise it was told to stop. */
async function play(sample: Sample): Promise<boolean> {
  const { tools, plan, past } = sample;
  await sample.readRules();
  const deliveries = await openDeliveries(sample);
  try {
    const scenes = listScenes(plan, deliveries);
    const done = await findPastDone(past.pool);
    tools.onProgress(done === 0 ? 'Sample data: a quarter is being made …' : 'Sample data: the quarter is continued …');
    for (const [index, scene] of [...scenes.entries()].slice(done)) {
      if (tools.signal.aborted) return false;
      await sample.moveTo(scene.at);
      await scene.run(sample);
      await deliveries.flushIfSent();
      await updatePastDone(past.pool, index + 1);
      report(tools, { index, count: scenes.length });
    }
    return true;
  } finally {
    await deliveries.close();
  }
}

/** In the order of their times; those of the same time in the order of the list. */
function listScenes(plan: Plan, deliveries: Deliveries): Scene[] {
  const scenes = [
    ...beginnings(plan),
    ...deliveryScenes(plan, deliveries),
    ...settlementScenes(plan),
    ...salesScenes(plan),
    ...decisionScenes(plan),
    ...correctionScenes(plan),
    ...plantingScenes(plan),
    ...endingScenes(plan),
  ];
  return scenes.filter(({ at }) => at <= plan.endsAt).sort((one, other) => one.at.getTime() - other.at.getTime());
}

function report({ onProgress }: SampleTools, { index, count }: { readonly index: number; readonly count: number }): void {
  const part = Math.floor(((index + 1) * PROGRESS_PARTS) / count);
  if (part === Math.floor((index * PROGRESS_PARTS) / count) || part === PROGRESS_PARTS) return;
  onProgress(`Sample data: ${(100 * part) / PROGRESS_PARTS} % …`);
}
