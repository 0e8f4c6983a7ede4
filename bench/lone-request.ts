/**
 * What a request that comes alone pays for group commit: nothing, or it would be seen here.
 *
 *     node bench/lone-request.ts [--requests 2000]
 *
 * Confirms one contribution after the other, by the service's operation and by the same statement in a transaction of its own, in turns
 * on one database, and prints the latencies of both. It never fails because something is slow.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments, readWhole } from '../reliability/harness/arguments.ts';
import { percentile } from '../reliability/harness/report.ts';
import { newId } from '../src/domain/identifiers.ts';
import { DEFAULT_RULES } from '../src/domain/rules/contribution-rules.ts';
import { openEmbedded } from '../src/embedded-postgres/open-embedded.ts';
import { type ConfirmationRequest, decideConfirmations } from '../src/operations/contributions/decide-confirmations.ts';
import { createOperations } from '../src/operations/create-operations.ts';
import { insertContributions } from '../src/store/contributions/contribution-insert.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { migrate } from '../src/store/schema/migrate.ts';
import { inTransaction } from '../src/store/transaction.ts';

const TURNS = 10;
const LOCK_TIMEOUT_MS = 100;

const given = readArguments(import.meta.filename, { requests: { type: 'string', default: '2000' } });
const requests = readWhole('requests', given.requests, { min: TURNS, max: 1_000_000 });

const folder = mkdtempSync(join(tmpdir(), 'partner-impact-lone-'));
const server = await openEmbedded(folder);
const databaseUrl = `postgresql:///postgres?host=${encodeURIComponent(server.socketDirectory)}&user=postgres`;
await migrate(databaseUrl);
const database = openDatabase({ databaseUrl });
try {
  const { confirmContribution } = createOperations(database, { environment: 'sandbox', rulesOf: () => DEFAULT_RULES });
  const ways = {
    'through group commit': (request: ConfirmationRequest) => confirmContribution(request),
    'in its own transaction': (request: ConfirmationRequest) => insertAlone(database, request),
  };
  const latencies = await measureInTurns(ways);
  for (const [way, taken] of Object.entries(latencies)) {
    const [p50, p99] = [0.5, 0.99].map((share) => percentile(taken, share).toFixed(3));
    console.log(`${way.padEnd(24)} ${taken.length} confirmations   p50 ${p50} ms   p99 ${p99} ms`);
  }
} finally {
  await database.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

type Ways = Record<string, (request: ConfirmationRequest) => Promise<unknown>>;

/** A B B A …, so that a machine that slows down does so for both. The first turn of each warms up and is not counted. */
async function measureInTurns(ways: Ways): Promise<Record<string, number[]>> {
  const latencies = Object.fromEntries(Object.keys(ways).map((way) => [way, [] as number[]]));
  for (let turn = 0; turn <= TURNS; turn++) {
    const order = turn % 2 === 0 ? Object.entries(ways) : Object.entries(ways).reverse();
    for (const [way, confirm] of order) {
      const taken = await measure(confirm, Math.ceil(requests / TURNS));
      if (turn > 0) latencies[way]?.push(...taken);
    }
  }
  return latencies;
}

async function measure(confirm: Ways[string], count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < count; index++) {
    const request = newRequest();
    const since = performance.now();
    await confirm(request);
    taken.push(performance.now() - since);
  }
  return taken;
}

function newRequest(): ConfirmationRequest {
  const id = newId('evt');
  return {
    partnerId: 'ptn_lone',
    isSuspended: false,
    currency: null,
    timeZone: 'Asia/Riyadh',
    idempotencyKey: id,
    fingerprint: Buffer.alloc(32),
    partnerEventId: id,
    partnerOrderRef: id,
    points: 250n,
    opaqueCustomerRef: null,
    calculationId: undefined,
    correlationId: id,
    arrivedAtMs: performance.now(),
  };
}

async function insertAlone(target: Database, request: ConfirmationRequest): Promise<void> {
  const confirmation = { ...request, transactionId: newId('txn'), submittedAtMs: performance.now(), rules: DEFAULT_RULES };
  await inTransaction(target, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db, { begunAtMs, finalStatement }) => {
    const drafts = decideConfirmations([confirmation], { estimates: new Map(), begunAtMs, seals: target.contributionSeals });
    await finalStatement(() =>
      insertContributions(
        db,
        drafts.filter((draft) => draft !== undefined),
      ),
    );
  });
}
