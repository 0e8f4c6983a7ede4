/** The wallet of examples/: what a partner's own database has to hold. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { PartnerImpact } from '../../sdk/src/index.ts';
import { issueRestorationPermit } from '../../sdk/src/restoration-permit.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

buildSdk();
const { Wallet } = await import('../../examples/wallet.ts');
const path = join(temporaryFolder('wallet'), 'wallet.db');
const wallet = new Wallet(path, 1_000n);
const database = new DatabaseSync(path);
after(() => database.close());

const read = () => [
  database
    .prepare('select points from account')
    .all()
    .map(({ points }) => points),
  database
    .prepare('select status from gift order by rowid')
    .all()
    .map(({ status }) => status),
];
const intentOf = (orderRef: string, points = 100n) => PartnerImpact.intent({ orderRef, points });

test('a second gift for an order deducts nothing, until the first one is restored', () => {
  const [first, second] = [intentOf('order-1'), intentOf('order-1')];
  wallet.deduct(first);
  assert.throws(() => wallet.deduct(second), /UNIQUE constraint failed/);
  assert.deepEqual(read(), [[900], ['stored']]);
  for (const _ of [1, 2]) wallet.restore(issueRestorationPermit('txn_1', 100n), first.eventId);
  assert.deepEqual(read(), [[1_000], ['restored']]);
  wallet.deduct(second);
  assert.deepEqual(read(), [[900], ['restored', 'stored']]);
});

test('a permit with other points than were deducted gives nothing back, and the gift is confirmed again', () => {
  const gift = intentOf('order-other');
  wallet.deduct(gift);
  const [before] = read();
  wallet.restore(issueRestorationPermit('txn_other', 99n), gift.eventId);
  assert.deepEqual([read()[0], wallet.due()], [before, [JSON.parse(JSON.stringify(gift))]]);
  wallet.restore(issueRestorationPermit('txn_other', 100n), gift.eventId);
  assert.equal(read()[1]?.at(-1), 'restored');
  database.prepare('delete from gift where event_id = ?').run(gift.eventId);
});

test('a gift above the points of the account is not stored', () => {
  assert.throws(() => wallet.deduct(intentOf('order-2', 901n)), /CHECK constraint failed/);
  assert.deepEqual(read(), [[900], ['restored', 'stored']]);
});

test('an account that is there keeps its points when the wallet is opened again', () => {
  new Wallet(path, 5n);
  assert.deepEqual(read()[0], [900]);
});

test('without an account nothing is stored', () => {
  database.exec('delete from account');
  assert.throws(() => wallet.deduct(intentOf('order-3')), /no account/);
  assert.deepEqual(read(), [[], ['restored', 'stored']]);
});
