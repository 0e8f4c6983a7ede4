/** What a page of the console costs in processor time, on a machine that does nothing else. */
import { decimal, renderTable } from '../report/table.ts';
import { type Processes, processorTime, processorTimeSince } from '../subject/processor-time.ts';
import type { Operator } from './operator.ts';
import { PAGES } from './pages.ts';

const OPENED = 20;

interface PageCost {
  readonly page: string;
  /** Until its last answer is here. */
  readonly milliseconds: number;
  readonly serviceMs: number;
  readonly databaseMs: number;
  /** Of the program that asks, which shares the processors. */
  readonly clientMs: number;
}

/** Opens each page several times, one after the other. */
export async function measurePageCosts({ open }: Operator, processes: Processes): Promise<void> {
  const costs: PageCost[] = [];
  for (const paths of PAGES) {
    await Promise.all(paths.map(open));
    const [since, before, ownBefore] = [performance.now(), processorTime(processes), process.cpuUsage()];
    for (let time = 0; time < OPENED; time++) await Promise.all(paths.map(open));
    const [elapsedMs, used, own] = [
      performance.now() - since,
      processorTimeSince(processes, before),
      process.cpuUsage(ownBefore),
    ];
    costs.push({
      page: paths.map((path) => path.replace(/\?.*/, '')).join(' '),
      milliseconds: elapsedMs / OPENED,
      serviceMs: (used.service * 1_000) / OPENED,
      databaseMs: (used.database * 1_000) / OPENED,
      clientMs: (own.user + own.system) / 1_000 / OPENED,
    });
  }
  process.stdout.write(
    renderTable(
      'What a page costs, in ms of processor time',
      [
        ['page', ({ page }) => page],
        ['ms', ({ milliseconds }) => decimal(milliseconds)],
        ['service', ({ serviceMs }) => decimal(serviceMs)],
        ['PostgreSQL', ({ databaseMs }) => decimal(databaseMs)],
        ['client', ({ clientMs }) => decimal(clientMs)],
      ],
      costs,
    ),
  );
}
