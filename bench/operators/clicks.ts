/** Confirmations with and without people at the console. */
import { setTimeout as sleep } from 'node:timers/promises';
import { printFigures, progress, type Violations } from '../../reliability/harness/report.ts';
import { loadByAutocannon } from '../load/autocannon.ts';
import { answeredOk, failures } from '../load/load.ts';
import { findWrk, loadByWrk } from '../load/wrk.ts';
import { medianOf } from '../measures/measure.ts';
import { decimal, whole } from '../report/table.ts';
import { newToken } from '../rows/identifiers.ts';
import { type Processes, processorTime, processorTimeSince } from '../subject/processor-time.ts';
import type { Partner, Subject } from '../subject/subject.ts';
import type { Operator } from './operator.ts';
import { PAGES } from './pages.ts';

const LEAST_RATIO = 0.98;
const CONNECTIONS = 64;
interface Options {
  readonly subject: Subject;
  readonly partner: Partner;
  /** `undefined` where the server's processes are elsewhere. */
  readonly processes: Processes | undefined;
  readonly operators: readonly Operator[];
  /** How long each looks at a page. */
  readonly lookSeconds: number;
  readonly seconds: number;
  readonly rounds: number;
}

interface Turn {
  /** Confirmations a second. */
  readonly rate: number;
  /** Microseconds of processor time for each confirmation, whatever else was done meanwhile. */
  readonly service: number;
  readonly database: number;
}

/**
 * In turns without, with, with, without, so that what changes slowly concerns both alike. Each round is compared with itself, and the median
 * of the rounds counts: where the machine's own speed changes, many short turns say more than a few long ones.
 */
export async function measureClicks(options: Options, violations: Violations): Promise<void> {
  const turns = { without: [] as Turn[], with: [] as Turn[] };
  const ratios: number[] = [];
  let pages = 0;
  await confirmFor(options, violations);
  for (let round = 1; round <= options.rounds; round++) {
    for (const side of ['without', 'with', 'with', 'without'] as const) {
      const clicking = side === 'with' ? click(options) : undefined;
      turns[side].push(await confirmFor(options, violations));
      pages += (await clicking?.stop()) ?? 0;
      progress(`round ${round} of ${options.rounds}, ${side} operators: ${whole(turns[side].at(-1)?.rate)} confirmations/s`);
    }
    ratios.push(meanOf(turns.with.slice(-2)).rate / meanOf(turns.without.slice(-2)).rate);
  }
  const [alone, beside] = [meanOf(turns.without), meanOf(turns.with)];
  const ratio = medianOf(ratios);
  const costs = ({ service, database }: Turn) => `${decimal(service)} of the service, ${decimal(database)} of PostgreSQL`;
  const title = `Confirmations while ${options.operators.length} operators open a page every ${options.lookSeconds} s`;
  printFigures(title, {
    'confirmations/s without': `${whole(alone.rate)}  (${turns.without.map(({ rate }) => whole(rate)).join(', ')})`,
    'confirmations/s with': `${whole(beside.rate)}  (${turns.with.map(({ rate }) => whole(rate)).join(', ')})`,
    'µs each without': costs(alone),
    'µs each with, pages too': costs(beside),
    'pages read': pages,
    'with / without': `${ratio.toFixed(3)} (at least ${LEAST_RATIO}; ${ratios.map((each) => each.toFixed(2)).join(', ')})`,
  });
  if (ratio < LEAST_RATIO) violations.report(`confirmations are ${decimal((1 - ratio) * 100)} % slower while operators click`);
}

async function confirmFor({ subject, partner, processes, seconds }: Options, violations: Violations): Promise<Turn> {
  const none = { token: newToken(), count: 0 };
  const request = {
    scenario: 'confirm' as const,
    baseUrl: subject.baseUrl,
    apiKey: partner.apiKey,
    connections: CONNECTIONS,
    seconds,
    token: newToken(),
    known: none,
    replayable: none,
  };
  const before = processes && processorTime(processes);
  const outcome = await (findWrk() ? loadByWrk : loadByAutocannon)(request, new AbortController().signal);
  if (failures(outcome) > 0) violations.report(`${failures(outcome)} confirmations were not answered with 2xx`);
  const confirmed = answeredOk(outcome);
  const used = processes && before ? processorTimeSince(processes, before) : { service: Number.NaN, database: Number.NaN };
  const microseconds = (used: number) => (used * 1e6) / confirmed;
  return { rate: confirmed / outcome.seconds, service: microseconds(used.service), database: microseconds(used.database) };
}

/** @returns What ends it, and says how many pages were read. */
function click({ operators, lookSeconds }: Options): { stop(): Promise<number> } {
  const lookMs = lookSeconds * 1_000;
  let isOver = false;
  let pages = 0;
  const people = operators.map(async ({ open }, number) => {
    // They do not click all at the same moment.
    await sleep((number * lookMs) / operators.length);
    for (let page = number; !isOver; page++) {
      await Promise.all([sleep(lookMs), ...(PAGES[page % PAGES.length] ?? []).map(open)]);
      pages++;
    }
  });
  const all = Promise.all(people);
  // It is awaited at the end; until then a failure must not end the program.
  all.catch(() => {});
  return {
    async stop() {
      isOver = true;
      await all;
      return pages;
    },
  };
}

function meanOf(turns: readonly Turn[]): Turn {
  const mean = (member: keyof Turn) => turns.reduce((sum, turn) => sum + turn[member], 0) / turns.length;
  return { rate: mean('rate'), service: mean('service'), database: mean('database') };
}
