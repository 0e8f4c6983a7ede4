/**
 * One key is held by an open transaction for three seconds, as a half-dead process holds it, while its own request is
 * repeated over and over. Everybody else must not notice.
 *
 *     node reliability/held-key/main.ts [--connections 64] [--seconds 3]
 *
 * Prints the latencies of the others with and without the held key; fails when their p99 reaches 100 ms meanwhile and twice that without the
 * held key, a repetition is confirmed while the key is held, or the held request does not end as exactly one contribution. A run is void
 * when no session of the service was seen to wait for the transaction that holds the key.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, newConfirmation, uniqueId } from '../../test/support/client.ts';
import { endHolding, holdContribution } from '../../test/support/contributions/held-contribution.ts';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { Installation, makePartner } from '../harness/installation.ts';
import { percentile, printFigures, Violations } from '../harness/report.ts';

const values = readArguments(import.meta.filename, {
  connections: { type: 'string', default: '64' },
  seconds: { type: 'string', default: '3' },
});
const connections = readWhole('connections', values.connections, { min: 1, max: 1_000 });
const durationMs = readWhole('seconds', values.seconds, { min: 1, max: 3_600 }) * 1000;
const P99_LIMIT_MS = 100;
const LOOK_EVERY_MS = 20;
const violations = new Violations();

const installation = await Installation.start();
const database = installation.openDatabase();
try {
  const { partnerId, apiKey } = await makePartner(database);
  const client = new Client(installation.baseUrl, apiKey);
  await measure(client, 1_000);
  const calm = await measure(client, durationMs);
  const held = { ...newConfirmation(), key: uniqueId('held-key') };
  const holder = await holdContribution(database, partnerId, held);
  const { rows: holding } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
  const statuses: number[] = [];
  const repeats = repeatUntil(client, held, { forMs: durationMs, statuses });
  const waiting = countWaiting(holding[0]?.pid ?? 0, durationMs);
  const busy = await measure(client, durationMs);
  const waited = await waiting;
  const early = statuses.filter((status) => status === 201).length;
  await endHolding(holder, 'rollback');
  await repeats;
  const last = await client.confirm(
    { partner_event_id: held.partner_event_id, partner_order_ref: held.partner_order_ref },
    { 'idempotency-key': held.key },
  );
  printFigures('The others', {
    'without the held key': describe(calm),
    'beside it': describe(busy),
    'sessions that waited for the held key': waited,
    'the held request': `${statuses.join(' ')}; afterwards ${last.status}`,
  });
  if (waited === 0) violations.report('void: no session of the service waited for the held key');
  if (early > 0) violations.report(`${early} repetitions were confirmed while the key was held`);
  const p99 = percentile(busy, 0.99);
  if (p99 >= Math.max(P99_LIMIT_MS, 2 * percentile(calm, 0.99)))
    violations.report(`the p99 of the others was ${p99.toFixed(0)} ms beside the held key`);
  const { rows } = await database.pool.query('select 1 from contribution where partner_event_id = $1 or partner_order_ref = $2', [
    held.partner_event_id,
    held.partner_order_ref,
  ]);
  if (rows.length !== 1) violations.report(`the held request is recorded ${rows.length} times`);
  if (last.status !== 201) violations.report(`the held request was answered ${last.status} at its end`);
  for (const status of statuses) if (status !== 201 && status !== 503) violations.report(`a repetition was answered ${status}`);
  process.exitCode = violations.printVerdict(`p99 of the others ${p99.toFixed(0)} ms beside the held key`);
} finally {
  await database.close();
  await installation.close();
}

/** @returns How many sessions, one after the other or at once, waited for a lock of the given one. */
async function countWaiting(holder: number, forMs: number): Promise<number> {
  const seen = new Set<number>();
  for (const endsAt = performance.now() + forMs; performance.now() < endsAt; await sleep(LOOK_EVERY_MS)) {
    const { rows } = await database.pool.query<{ pid: number }>(
      'select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
      [holder],
    );
    for (const { pid } of rows) seen.add(pid);
  }
  return seen.size;
}

/** @param statuses Takes in the status of each answer when it comes. */
async function repeatUntil(
  client: Client,
  held: { key: string; partner_event_id: string; partner_order_ref: string },
  { forMs, statuses }: { forMs: number; statuses: number[] },
): Promise<void> {
  const { key, ...fields } = held;
  const endsAt = performance.now() + forMs;
  const sent: Promise<unknown>[] = [];
  while (performance.now() < endsAt) {
    sent.push(client.confirm(fields, { 'idempotency-key': key }).then(({ status }) => statuses.push(status)));
    await sleep(150);
  }
  await Promise.all(sent);
}

async function measure(client: Client, forMs: number): Promise<number[]> {
  const latencies: number[] = [];
  const endsAt = performance.now() + forMs;
  const one = async () => {
    while (performance.now() < endsAt) {
      const startedAt = performance.now();
      const { status } = await client.confirm();
      if (status !== 201) throw new Error(`Another request was answered ${status}.`);
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return latencies.sort((a, b) => a - b);
}

function describe(sorted: readonly number[]): string {
  const shown = [0.5, 0.99, 1].map((share) => percentile(sorted, share).toFixed(1).padStart(7));
  return `${String(sorted.length).padStart(6)} requests   p50 ${shown[0]} ms   p99 ${shown[1]} ms   longest ${shown[2]} ms`;
}
