/** A short run of `reliability/fuzz/main.ts`; `FUZZ_SEED=N` repeats one that failed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AcknowledgedIds } from '../../reliability/fuzz/acknowledged-ids.ts';
import { rawCorpus } from '../../reliability/fuzz/raw-corpus.ts';
import { sendRawCorpus } from '../../reliability/fuzz/raw-run.ts';
import { fuzz } from '../../reliability/fuzz/run.ts';
import { ToldOutcomes } from '../../reliability/fuzz/told-outcomes.ts';
import { freshSeed } from '../../reliability/harness/random.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { testService } from '../support/service.ts';

const REQUESTS = 2_000;
const seed = Number(process.env['FUZZ_SEED'] ?? freshSeed());

const service = await testService();
const main = await service.newPartner();
const port = Number(new URL(service.baseUrl).port);

test(`${REQUESTS} requests out of the document, valid and spoiled: never a 5xx, every answer as the contract says, rows only for what was acknowledged`, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const suspended = await service.newPartner();
  await suspendPartner(service.database, OWNER, suspended.partner.partnerId);
  const keys = {
    main: main.key.apiKey,
    readOnly: (await service.newPartner({ key: { permission: 'read_only' } })).key.apiKey,
    suspended: suspended.key.apiKey,
    otherPartner: (await service.newPartner()).key.apiKey,
  };
  const violations: string[] = [];
  const report = (violation: string) => void violations.push(violation);
  const acknowledgedIds = new AcknowledgedIds(report);
  const figures = await fuzz({ port, keys, seed, requests: REQUESTS, connections: 8, acknowledgedIds, report });
  await acknowledgedIds.compare(service.database.pool);
  assert.deepEqual(violations, []);
  assert.equal(figures.shed, 0);
  assert.ok(
    acknowledgedIds.acknowledged.contribution.size > 10,
    `some requests must be taken, or nothing is shown: ${acknowledgedIds.acknowledged.contribution.size} were`,
  );
});

test('more than 200 malformed raw requests: the envelope and the header, and nothing stored that was refused', async () => {
  const corpus = rawCorpus({ apiKey: main.key.apiKey, run: seed.toString(36) });
  const violations: string[] = [];
  await sendRawCorpus(corpus, {
    port,
    pool: service.database.pool,
    report: (violation) => void violations.push(violation),
  });
  assert.ok(corpus.length >= 200);
  assert.deepEqual(violations, []);
});

test('a contribution that is told as confirmed and as failed is found, and one that failed without being asked to', () => {
  const failure = (transactionId: string) => ({
    error: { code: 'contribution_final_failure', details: [{ field: 'transaction_id', code: transactionId }] },
  });
  const contribution = (transactionId: string, status: string) => ({ contribution: { transaction_id: transactionId, status } });
  const told = new ToldOutcomes();
  told.add(contribution('txn_pending', 'pending'), false);
  told.add(failure('txn_pending'), false);
  told.add(failure('txn_asked'), true);
  assert.deepEqual(told.problems(), []);
  told.add(failure('txn_confirmed'), true);
  told.add(contribution('txn_confirmed', 'confirmed'), false);
  told.add(contribution('txn_unasked', 'failed'), false);
  assert.deepEqual(told.problems(), [
    'txn_confirmed was told as confirmed and as failed',
    'txn_unasked failed, and nothing asked for it',
  ]);
});
