import type pg from 'pg';
import type { NumberedRows } from '../load/load.ts';
import { formatDuration, progress } from '../report/progress.ts';
import { contributionColumns, estimateColumns, fitToTable, insertSelect, linkColumns, type RowOptions } from './rows.ts';

const CHUNK_ROWS = 10_000;
/** Side by side; more than the cores that PostgreSQL can use here brings nothing. */
const WRITERS = 2;
const OTHER_PARTNERS = 200;
/** One contribution in so many has its estimate: the numbers that it divides. */
export const LINKED_EVERY = 5;
const REPORT_EVERY_MS = 5_000;

/**
 * Makes the database as large as that: half of the contributions are the partner's, so that its look-ups fall on an index
 * of that size and not on a warm corner, and half are spread over {@link OTHER_PARTNERS} others.
 *
 * @param known What is there already.
 * @param rows Contributions in all, afterwards.
 * @returns The partner's own, for look-ups.
 */
export async function fill(
  pool: pg.Pool,
  { partnerId, known, rows }: { partnerId: string; known: NumberedRows; rows: number },
  signal: AbortSignal,
): Promise<NumberedRows> {
  const { token } = known;
  const count = Math.floor(rows / 2);
  const statements = await writeStatements(pool, partnerId, token);
  const report = reporter((count - known.count) * 2);
  let next = known.count + 1;
  const write = async () => {
    while (next <= count) {
      signal.throwIfAborted();
      const range = { from: next, to: Math.min(next + CHUNK_ROWS - 1, count) };
      next = range.to + 1;
      await writeChunk(pool, statements, range);
      report((range.to - range.from + 1) * 2);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return { token, count };
}

/** Contributions, and the estimates and links that some of them have; `$1` to `$2` are their numbers. */
async function writeStatements(pool: pg.Pool, partnerId: string, token: string): Promise<string[]> {
  const own = { partner: `'${partnerId}'::text`, token, number: 'number' };
  const others = { ...own, partner: `'ptn_of_bench_' || lpad((number % ${OTHER_PARTNERS})::text, 4, '0')` };
  const linked = `where number % ${LINKED_EVERY} = 0`;
  const statements = [own, others].map(async (terms: RowOptions) => [
    await statement(pool, 'estimate', estimateColumns(terms), linked),
    await statement(pool, 'contribution', contributionColumns({ ...terms, isLinked: true }), linked),
    await statement(pool, 'contribution', contributionColumns(terms), `where number % ${LINKED_EVERY} <> 0`),
    await statement(pool, 'emissions_link', linkColumns(terms), linked),
  ]);
  return (await Promise.all(statements)).flat();
}

async function statement(
  pool: pg.Pool,
  table: string,
  columns: Readonly<Record<string, string>>,
  where: string,
): Promise<string> {
  const source = `from generate_series($1::bigint, $2::bigint) as number ${where}`;
  return insertSelect(table, await fitToTable(pool, table, columns), source);
}

async function writeChunk(
  pool: pg.Pool,
  statements: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<void> {
  const client = await pool.connect();
  try {
    // Rows of a preparation need not survive a power cut.
    await client.query('begin; set local synchronous_commit = off');
    for (const text of statements) await client.query({ text, values: [from, to] });
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function reporter(total: number): (written: number) => void {
  const since = performance.now();
  let done = 0;
  let reportedAt = since;
  return (written) => {
    done += written;
    const now = performance.now();
    if (now - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = now;
    const perSecond = (done / (now - since)) * 1_000;
    const remaining = formatDuration((total - done) / perSecond);
    progress(
      `${done.toLocaleString('en')} of ${total.toLocaleString('en')} rows, ${Math.round(perSecond).toLocaleString('en')}/s, ${remaining} to go`,
    );
  };
}

/** Estimates that confirmations will name, one each, made just now. */
export async function prepareEstimates(pool: pg.Pool, partnerId: string, { token, count }: NumberedRows): Promise<void> {
  const columns = estimateColumns({ partner: `'${partnerId}'`, token, number: 'number' });
  const fitting = await fitToTable(pool, 'estimate', columns);
  await pool.query(insertSelect('estimate', fitting, 'from generate_series(1::bigint, $1::bigint) as number'), [count]);
  // Nobody makes so many at once: the planner would still believe in the few that were there.
  await pool.query('analyze estimate');
}
