import { type Baseline, type Bench, installationsOf, measureChecked, measureConstant, middle } from '../cells.ts';
import { progress } from '../report/progress.ts';
import { fill } from '../rows/fill.ts';
import { LOOKUPS, type ScenarioName } from '../scenarios.ts';
import { settle } from '../subject/database.ts';
import { type Installation, SMALL_ROWS } from '../subject/installation.ts';
import type { Figures } from './measure.ts';

/** Look-ups first: confirmations make a small database larger. */
const GROWTH_SCENARIOS = [...LOOKUPS, 'confirm'] as const satisfies ScenarioName[];

const WARM_UP_SECONDS = 20;

interface Sized {
  readonly figures: Figures;
  /** How fast the machine itself was at that moment. */
  readonly constant: Baseline;
}

/** One scenario on a small database and on a large one. */
export interface Growth {
  readonly scenario: ScenarioName;
  readonly smallRows: number;
  readonly largeRows: number;
  readonly small: Sized;
  readonly large: Sized;
}

/** Measures what a large database costs, and leaves it large. */
export async function measureGrowth(
  bench: Bench,
  rows: number,
  task: { connections: number; seconds: number },
): Promise<Growth[]> {
  const small = await measureAll(bench, task);
  progress(`filling the database to ${rows.toLocaleString('en')} contributions`);
  for (const installation of installationsOf(bench)) {
    const { pool, partner, known } = installation;
    installation.known = await fill(pool, { partnerId: partner.partnerId, known, rows }, bench.signal);
    await settle(pool);
    await warmUp(bench, installation, task.connections);
  }
  const large = await measureAll(bench, task);
  return GROWTH_SCENARIOS.map((scenario, index) => ({
    scenario,
    smallRows: SMALL_ROWS,
    largeRows: rows,
    small: small[index] as Sized,
    large: large[index] as Sized,
  }));
}

/** What a server that has run for a while holds in memory is read from disk after a start, and after a fill. */
async function warmUp(bench: Bench, installation: Installation, connections: number): Promise<void> {
  progress('warming the large database up');
  for (const scenario of GROWTH_SCENARIOS)
    await measureChecked(bench, installation, { scenario, connections, seconds: WARM_UP_SECONDS });
}

async function measureAll(bench: Bench, task: { connections: number; seconds: number }): Promise<Sized[]> {
  const all: Sized[] = [];
  const half = Math.ceil(task.seconds / 2);
  for (const scenario of GROWTH_SCENARIOS) {
    const before = await measureConstant(bench, { ...task, scenario, seconds: half });
    const { figures } = await measureChecked(bench, bench.installation, { ...task, scenario });
    const after = await measureConstant(bench, { ...task, scenario, seconds: half });
    progress(`${scenario}, ${task.connections} connections: ${Math.round(figures.perSecond)}/s`);
    all.push({ figures, constant: middle(before, after) });
  }
  return all;
}
