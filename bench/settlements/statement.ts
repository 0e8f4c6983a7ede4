/**
 * Closes a settlement over a million contributions and fetches its statement from the service, watching the memory of both.
 *
 *     npm run statement -- [--lines 1000000]
 *
 *   --lines  how many contributions (default 1000000)
 *
 * The statement is fetched twice, and once more by a reader that reads slowly. Exit code 1 when bytes differ from what was closed over, when a
 * line is not as it was written, or when a process takes 50 MB more than it took for a settlement of 100,000 lines. Its own process has the
 * service's settings of Node.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readArguments, readWhole } from '../../reliability/harness/arguments.ts';
import { Installation, makePartner } from '../../reliability/harness/installation.ts';
import { MemoryWatch } from '../../reliability/harness/memory-watch.ts';
import { printFigures, progress, Violations } from '../../reliability/harness/report.ts';
import { sealRows } from '../../reliability/harness/seal-rows.ts';
import { settlementTools } from '../../reliability/harness/settlement-tools.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { closeSettlement } from '../../src/operations/settlements/close-settlement.ts';
import { verifySettlements } from '../../src/operations/settlements/verify-settlements.ts';
import type { Database } from '../../src/store/database.ts';
import { findOpenSettlement, type Settlement } from '../../src/store/settlements/settlement.ts';
import { contributionColumns, fitToTable, insertSelect } from '../rows/rows.ts';

const GROWTH_MAX_MEGABYTES = 50;
const FILL_AT_ONCE = 20_000;
const WARM_UP_LINES = 100_000;
/** So many bytes are read at a time by the slow reader, who then rests. */
const SLOW_BYTES = 1 << 20;

const given = readArguments(import.meta.filename, { lines: { type: 'string', default: '1000000' } });
const lines = readWhole('lines', given.lines, { min: 1, max: 10_000_000 });

process.exitCode = await main();

async function main(): Promise<number> {
  const violations = new Violations();
  const installation = await Installation.start();
  const database = installation.openDatabase();
  try {
    const service = await MemoryWatch.start('the service', () => installation.residentMegabytes);
    const own = await MemoryWatch.start('the closing process', () => process.memoryUsage.rss() / 1_048_576);
    await warmUp(installation, database);
    for (const watch of [service, own]) watch.takePeakAsBefore();
    const { partnerId, apiKey } = await makePartner(database);
    await fillContributions(database, partnerId, lines);
    const open = (await findOpenSettlement(database.pool, partnerId)) as Settlement;
    const request = { url: `${installation.baseUrl}/v1/settlements/${open.settlementId}`, apiKey };
    const figures: Record<string, unknown> = { lines };
    figures['totals of the open settlement, first'] = await measured(() => untilAnswered(request));
    figures['totals of the open settlement, then'] = await measured(() => untilAnswered(request));
    figures['closing'] = await measured(async () => {
      const actor = { operatorId: 'owner', role: 'admin', correlationId: newId('corr') } as const;
      const outcome = await closeSettlement(database, actor, { partnerId, isEarly: true }, settlementTools);
      figures['net points'] = outcome?.closed.totals?.netPoints;
      if (outcome?.closed.totals?.contributionCount !== BigInt(lines))
        violations.report('contributions are missing on the settlement');
      figures['sha256'] = outcome?.closed.statement?.csvSha256;
    });
    figures['memory of the closing process'] = own.end(GROWTH_MAX_MEGABYTES, violations.report);
    for (const reader of ['first', 'second'])
      figures[`statement, ${reader} time`] = await measured(async () => check(await fetchOnce(request, '/statement.csv')));
    figures['statement, read slowly'] = await measured(async () => check(await fetchOnce(request, '/statement.csv', true)));
    figures['memory of the service'] = service.end(GROWTH_MAX_MEGABYTES, violations.report);
    figures['verification of every line'] = await measured(async () => {
      const { problems } = await verifySettlements(database, partnerId, settlementTools);
      for (const { message } of problems) violations.report(message);
    });
    printFigures('Statement', figures);
    return violations.printVerdict(`a settlement of ${lines} lines`);

    function check(sha256: string): void {
      if (sha256 !== figures['sha256']) violations.report(`a statement with the SHA-256 ${sha256} was served`);
    }
  } finally {
    await database.close();
    await installation.close();
  }
}

/** Closes and serves a settlement of 100,000 lines: what the processes take for it is what they may take for any number. */
async function warmUp(installation: Installation, database: Database): Promise<void> {
  const { partnerId, apiKey } = await makePartner(database);
  await fillContributions(database, partnerId, WARM_UP_LINES);
  const actor = { operatorId: 'owner', role: 'admin', correlationId: newId('corr') } as const;
  const outcome = await closeSettlement(database, actor, { partnerId, isEarly: true }, settlementTools);
  const url = `${installation.baseUrl}/v1/settlements/${outcome?.closed.settlementId}`;
  await fetchOnce({ url, apiKey }, '/statement.csv');
}

/** Confirmed contributions and their events, as if the service had made them. */
async function fillContributions(database: Database, partnerId: string, count: number): Promise<void> {
  const { pool } = database;
  const terms = { partner: `'${partnerId}'::text`, token: 'statement', number: 'number' };
  const columns = await fitToTable(pool, 'contribution', contributionColumns(terms));
  const range = 'from generate_series($1::bigint, $2::bigint) as number';
  const events = {
    partner_id: terms.partner,
    sequence: 'number + 1',
    event_id: `'evt_' || substr(${columns['transaction_id']}, 5)`,
    event_type: "'impact.transaction.confirmed'",
    subject_id: columns['transaction_id'] as string,
    occurred_at: 'now()',
  };
  for (let from = 1; from <= count; from += FILL_AT_ONCE) {
    const values = [from, Math.min(from + FILL_AT_ONCE - 1, count)];
    const unsealed = insertSelect('contribution', { ...columns, seal: 'null', seal_key: 'null' }, range);
    const { rows } = await pool.query<{ transaction_id: string }>(`${unsealed} returning transaction_id`, values);
    await sealRows(
      database,
      partnerId,
      rows.map(({ transaction_id }) => transaction_id),
    );
    await pool.query(insertSelect('event', events, range), values);
    if (from % 200_000 === 1) progress(`${from - 1} of ${count} contributions are there`);
  }
  await pool.query('update event_counter set last_sequence = $2 where partner_id = $1', [partnerId, count + 1]);
}

async function fetchOnce({ url, apiKey }: { url: string; apiKey: string }, path: string, isSlow = false): Promise<string> {
  const answer = await fetch(url + path, { headers: { 'x-api-key': apiKey } });
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  const hash = createHash('sha256');
  let unread = 0;
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    hash.update(chunk);
    unread += chunk.byteLength;
    if (!isSlow || unread < SLOW_BYTES) continue;
    unread = 0;
    await sleep(20);
  }
  return hash.digest('hex');
}

/** The first who asks may be told to ask again. */
async function untilAnswered({ url, apiKey }: { url: string; apiKey: string }): Promise<void> {
  for (let status = 503; status === 503; ) {
    const answer = await fetch(url, { headers: { 'x-api-key': apiKey } });
    ({ status } = answer);
    const { settlement } = (await answer.json()) as { settlement?: { contribution_count: number } };
    if (settlement && settlement.contribution_count !== lines) throw new Error(`${settlement.contribution_count} were counted`);
    if (status === 503) await sleep(500);
  }
}

async function measured(work: () => Promise<void>): Promise<string> {
  const since = performance.now();
  await work();
  const seconds = `${((performance.now() - since) / 1_000).toFixed(1)} s`;
  progress(seconds);
  return seconds;
}
