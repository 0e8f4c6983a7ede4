/**
 * Sends a list of a million lines to the service and watches its memory.
 *
 *     npm run reconciliation -- [--lines 1000000] [--settled 200000]
 *
 *   --lines    how many lines the list has (default 1000000)
 *   --settled  how many of them are on the settlement; every tenth of those is left out of the list (default 200000)
 *
 * Exit code 1 when a count is wrong, or when the service grows by more than 50 MB.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { readArguments, readWhole } from '../../reliability/harness/arguments.ts';
import { Installation, makePartner } from '../../reliability/harness/installation.ts';
import { MemoryWatch } from '../../reliability/harness/memory-watch.ts';
import { printFigures, progress, Violations } from '../../reliability/harness/report.ts';
import { sealRows } from '../../reliability/harness/seal-rows.ts';
import { settlementTools } from '../../reliability/harness/settlement-tools.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { closeSettlement } from '../../src/operations/settlements/close-settlement.ts';
import { eventId, orderRef } from '../rows/identifiers.ts';
import { contributionColumns, fitToTable, insertSelect } from '../rows/rows.ts';

const GROWTH_MAX_MEGABYTES = 50;
const WARM_UP_LINES = 20_000;
const TOKEN = 'reconcile';
const LEFT_OUT_EVERY = 10;
const LINES_AT_ONCE = 1_000;

const given = readArguments(import.meta.filename, {
  lines: { type: 'string', default: '1000000' },
  settled: { type: 'string', default: '200000' },
});
const lines = readWhole('lines', given.lines, { min: 1, max: 1_000_000 });
const settled = readWhole('settled', given.settled, { min: 1, max: lines });

process.exitCode = await main();

async function main(): Promise<number> {
  const violations = new Violations();
  const installation = await Installation.start();
  const database = installation.openDatabase();
  const { pool } = database;
  try {
    const { partnerId, apiKey } = await makePartner(database);
    progress(`settling ${settled} contributions`);
    const columns = contributionColumns({ partner: `'${partnerId}'::text`, token: TOKEN, number: 'number' });
    for (let from = 1; from <= settled; from += WARM_UP_LINES) {
      const to = Math.min(from + WARM_UP_LINES - 1, settled);
      const range = 'from generate_series($1::bigint, $2::bigint) as number';
      const unsealed = { ...(await fitToTable(pool, 'contribution', columns)), seal: 'null', seal_key: 'null' };
      const insert = `${insertSelect('contribution', unsealed, range)} returning transaction_id`;
      const { rows } = await pool.query<{ transaction_id: string }>(insert, [from, to]);
      await sealRows(
        database,
        partnerId,
        rows.map(({ transaction_id }) => transaction_id),
      );
    }
    // Without events, they are among those that a settlement finds all the same.
    await pool.query(
      'insert into settlement_candidate (partner_id, transaction_id) select partner_id, transaction_id from contribution where partner_id = $1',
      [partnerId],
    );
    const actor = { operatorId: 'owner', role: 'approver', correlationId: newId('corr') } as const;
    const outcome = await closeSettlement(database, actor, { partnerId, isEarly: true }, settlementTools);
    const path = `/v1/settlements/${outcome?.closed.settlementId}/reconciliations`;
    await reconcile({ installation, apiKey, path }, Math.min(lines, WARM_UP_LINES));
    const memory = await MemoryWatch.start('the service', () => installation.residentMegabytes);
    const since = performance.now();
    const { uploadMs, counts } = await reconcile({ installation, apiKey, path }, lines);
    const missing = Math.floor(settled / LEFT_OUT_EVERY);
    const expected = {
      matched: settled - missing,
      missing_in_service: lines - (settled - missing),
      missing_in_partner_file: missing,
    };
    for (const [verdict, count] of Object.entries(expected))
      if (counts[verdict] !== count) violations.report(`${verdict} is ${counts[verdict]} instead of ${count}`);
    printFigures('Reconciliation', {
      lines,
      'on the settlement': settled,
      upload: `${(uploadMs / 1_000).toFixed(1)} s`,
      'until it is done': `${((performance.now() - since) / 1_000).toFixed(1)} s`,
      'memory of the service': memory.end(GROWTH_MAX_MEGABYTES, violations.report),
      counts: JSON.stringify(counts),
    });
    return violations.printVerdict(`a list of ${lines} lines`);
  } finally {
    await database.close();
    await installation.close();
  }
}

interface Target {
  readonly installation: Installation;
  readonly apiKey: string;
  readonly path: string;
}

interface Shown {
  readonly reconciliation: { readonly status: string; readonly path: string; readonly counts: Record<string, number> };
}

async function reconcile({ installation, apiKey, path }: Target, count: number) {
  const headers = { 'x-api-key': apiKey, 'content-type': 'text/csv', 'idempotency-key': `reconciliation-${count}` };
  const since = performance.now();
  const body = ReadableStream.from(writeList(count));
  const answer = await fetch(installation.baseUrl + path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  if (answer.status !== 202) throw new Error(`The list was answered ${answer.status}: ${await answer.text()}`);
  const uploadMs = performance.now() - since;
  progress(`${count} lines were taken after ${(uploadMs / 1_000).toFixed(1)} s`);
  let { reconciliation } = (await answer.json()) as Shown;
  while (reconciliation.status === 'comparing') {
    await sleep(200);
    const found = await fetch(installation.baseUrl + reconciliation.path, { headers: { 'x-api-key': apiKey } });
    ({ reconciliation } = (await found.json()) as Shown);
  }
  return { uploadMs, counts: reconciliation.counts };
}

/** Every tenth contribution of the settlement is left out; what is not on it follows at the end. */
async function* writeList(count: number): AsyncGenerator<Uint8Array> {
  let text = 'partner_event_id,partner_order_ref,points\n';
  let written = 0;
  for (let number = 1; written < count; number++) {
    if (number <= settled && number % LEFT_OUT_EVERY === 0) continue;
    const isSettled = number <= settled;
    const missing = isSettled ? '' : '-missing';
    text += `${eventId(TOKEN, number)}${missing},${orderRef(TOKEN, number)},250\n`;
    if (++written % LINES_AT_ONCE > 0 && written < count) continue;
    yield Buffer.from(text);
    text = '';
  }
}
