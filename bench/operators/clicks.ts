/** Confirmations with and without people at the console. */
import { setTimeout as sleep } from 'node:timers/promises';
import { printFigures, progress, type Violations } from '../../reliability/harness/report.ts';
import { loadByAutocannon } from '../load/autocannon.ts';
import { answeredOk, failures } from '../load/load.ts';
import { findWrk, loadByWrk } from '../load/wrk.ts';
import { decimal, whole } from '../report/table.ts';
import { newToken } from '../rows/identifiers.ts';
import type { Partner, Subject } from '../subject/subject.ts';
import type { Operator } from './operator.ts';
import { PAGES } from './pages.ts';

const LEAST_RATIO = 0.98;
const CONNECTIONS = 64;
/** A person looks at a page for so long. */
const LOOK_MS = 1_000;

interface Terms {
  readonly subject: Subject;
  readonly partner: Partner;
  readonly operators: readonly Operator[];
  readonly seconds: number;
  readonly rounds: number;
}

/** In turns without, with, with, without, so that what changes slowly concerns both alike. */
export async function measureClicks(terms: Terms, violations: Violations): Promise<void> {
  const rates = { without: [] as number[], with: [] as number[] };
  let pages = 0;
  await confirmFor(terms, violations);
  for (let round = 1; round <= terms.rounds; round++)
    for (const turn of ['without', 'with', 'with', 'without'] as const) {
      const clicking = turn === 'with' ? click(terms.operators) : undefined;
      rates[turn].push(await confirmFor(terms, violations));
      pages += (await clicking?.stop()) ?? 0;
      progress(`round ${round} of ${terms.rounds}, ${turn} operators: ${whole(rates[turn].at(-1))} confirmations/s`);
    }
  const [alone, beside] = [mean(rates.without), mean(rates.with)];
  const ratio = beside / alone;
  printFigures(`Confirmations while ${terms.operators.length} operators click`, {
    'confirmations/s without': `${whole(alone)}  (${rates.without.map(whole).join(', ')})`,
    'confirmations/s with': `${whole(beside)}  (${rates.with.map(whole).join(', ')})`,
    'pages read': pages,
    'with / without': `${ratio.toFixed(3)} (at least ${LEAST_RATIO})`,
  });
  if (ratio < LEAST_RATIO) violations.report(`confirmations are ${decimal((1 - ratio) * 100)} % slower while operators click`);
}

async function confirmFor({ subject, partner, seconds }: Terms, violations: Violations): Promise<number> {
  const none = { token: newToken(), count: 0 };
  const request = {
    ...{ scenario: 'confirm' as const, baseUrl: subject.baseUrl, apiKey: partner.apiKey },
    ...{ connections: CONNECTIONS, seconds, token: newToken(), known: none, replayable: none },
  };
  const outcome = await (findWrk() ? loadByWrk : loadByAutocannon)(request, new AbortController().signal);
  if (failures(outcome) > 0) violations.report(`${failures(outcome)} confirmations were not answered with 2xx`);
  return answeredOk(outcome) / outcome.seconds;
}

/** @returns What ends it, and says how many pages were read. */
function click(operators: readonly Operator[]): { stop(): Promise<number> } {
  let isOver = false;
  let pages = 0;
  const people = operators.map(async ({ open }, number) => {
    for (let page = number; !isOver; page++) {
      await Promise.all([sleep(LOOK_MS), ...(PAGES[page % PAGES.length] ?? []).map(open)]);
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

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
