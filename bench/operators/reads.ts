/** How long each list, the overview and the search take at the interface. */
import { printFigures, progress, type Violations } from '../../reliability/harness/report.ts';
import { decimal, renderTable } from '../report/table.ts';
import { LISTS, PARAMS, partnerId, queriesOf, settlementId } from './list-queries.ts';
import type { Operator } from './operator.ts';

const BUDGET_MS = 300;
const SHOWN = 15;
const REPEATED = 3;
const REPORT_EVERY = 100;

interface Measured {
  readonly path: string;
  readonly firstMs: number;
  /** The longest of those that follow at once, and of the second page. */
  readonly laterMs: number;
}

/** Each list in each order with each filter: its first page, the same again, and its second page. */
export async function measureReads(operator: Operator, violations: Violations): Promise<void> {
  const measured: Measured[] = [];
  for (const path of [...listPaths(), ...otherPaths()]) {
    measured.push(await measure(operator, path));
    if (measured.length % REPORT_EVERY === 0) progress(`${measured.length} reads`);
  }
  const slowest = measured.toSorted((one, other) => worst(other) - worst(one));
  process.stdout.write(
    renderTable(
      `The slowest of ${measured.length} reads, in ms (budget ${BUDGET_MS})`,
      [
        ['read', ({ path }) => path],
        ['first', ({ firstMs }) => decimal(firstMs)],
        ['later', ({ laterMs }) => decimal(laterMs)],
      ],
      slowest.slice(0, SHOWN),
    ),
  );
  const over = slowest.filter((each) => worst(each) > BUDGET_MS);
  printFigures('Reads', { measured: measured.length, 'over the budget': over.length });
  for (const { path, firstMs, laterMs } of over)
    violations.report(`GET ${path} took ${decimal(firstMs)} ms, later ${decimal(laterMs)} ms (budget ${BUDGET_MS})`);
}

const worst = ({ firstMs, laterMs }: Measured) => Math.max(firstMs, laterMs);

async function measure(operator: Operator, path: string): Promise<Measured> {
  const { milliseconds: firstMs, body } = await operator.get(path);
  const later: number[] = [];
  for (let time = 0; time < REPEATED; time++) later.push((await operator.get(path)).milliseconds);
  if (body['has_more'] === true) {
    const place = `after=${encodeURIComponent(String(body['next_after']))}`;
    later.push((await operator.get(`${path}${path.includes('?') ? '&' : '?'}${place}`)).milliseconds);
  }
  return { path, firstMs, laterMs: Math.max(...later) };
}

function listPaths(): string[] {
  return LISTS.flatMap((route) =>
    queriesOf(route).map((query) => {
      const path = route.path.replace('/operator/v1', '').replaceAll(/:(\w+)/g, (_, name: keyof typeof PARAMS) => PARAMS[name]);
      return `${path}?${new URLSearchParams(query)}`;
    }),
  );
}

/** What a search finds by each of its keys, by the beginning of one, or does not find. */
const SEARCHED = [
  'order-31234',
  'event-31234',
  'key-31234',
  'order-3',
  'corr_of_nothing',
  'partner 12',
  settlementId,
  partnerId,
  'nothing',
];

function otherPaths(): string[] {
  return ['/overview', `/months/${PARAMS.month}`, ...SEARCHED.map((text) => `/search?q=${encodeURIComponent(text)}`)];
}
