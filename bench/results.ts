import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from './budgets.ts';
import type { Cell } from './cells.ts';
import type { Deliveries } from './deliveries/deliveries.ts';
import type { Growth } from './measures/growth.ts';
import type { HalfLoad } from './measures/half-load.ts';
import type { Lifetime } from './measures/lifetime.ts';
import type { Plan } from './measures/plans.ts';
import type { SideBySide } from './measures/side-by-side.ts';
import type { Young } from './measures/young.ts';
import type { Mixed } from './mixed/mixed.ts';
import { drawChart } from './report/chart.ts';
import type { Machine } from './subject/machine.ts';

/** Everything that one run found out; what `latest.json` holds. */
export interface Results {
  /** UTC, ISO 8601. */
  readonly startedAt: string;
  readonly revision: string;
  /** The words after `npm run bench --`. */
  readonly options: readonly string[];
  readonly machine: Machine;
  readonly postgres: { readonly version: string; readonly isEmbedded: boolean; readonly isDistributed: boolean };
  readonly generator: string;
  readonly processes: number;
  readonly cellSeconds: number;
  /** Of whose figures each is the median. */
  readonly rounds: number;
  /** The revision that is compared with. */
  readonly against: string | undefined;
  readonly cells: readonly Cell[];
  /** Empty without `--against`. */
  readonly sideBySide: readonly SideBySide[];
  /** `undefined` with `--partners 0`. */
  readonly mixed: Mixed | undefined;
  /** Empty without `--rows`. */
  readonly growth: readonly Growth[];
  readonly halfLoad: readonly HalfLoad[];
  /** Empty with `--deliveries 0`. */
  readonly deliveries: readonly Deliveries[];
  /** `undefined` without the scenario confirm. */
  readonly lifetime: Lifetime | undefined;
  /** Empty without `--young`. */
  readonly young: readonly Young[];
  readonly plans: readonly Plan[];
  /** With its share of the indexes; `undefined` on a distributed database. */
  readonly contributionBytes: number | undefined;
  readonly verdicts: readonly Verdict[];
  readonly problems: readonly string[];
}

export function writeResults(folder: string, results: Results): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'latest.json'), `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(join(folder, 'latest.svg'), drawChart(results));
}

/** No figure of a bench has more than five digits that mean anything; the tables and the file then show the same. */
export function roundFigures(results: Results): Results {
  return JSON.parse(JSON.stringify(results, rounded)) as Results;
}

function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}
