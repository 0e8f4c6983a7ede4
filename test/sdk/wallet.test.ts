/** The wallet of examples/: what a partner's own database has to hold. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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
  // After a restore of the service the same failure has another transaction.
  for (const transactionId of ['txn_1', 'txn_2'])
    wallet.restore(issueRestorationPermit({ eventId: first.eventId, transactionId, points: 100n }), first.eventId);
  assert.deepEqual(read(), [[1_000], ['restored']]);
  wallet.deduct(second);
  assert.deepEqual(read(), [[900], ['restored', 'stored']]);
});

test('a gift that ends otherwise than it is stored, as after a restore of the service, stays as it is, and a person is told', (context) => {
  const told = context.mock.method(console, 'error', () => undefined);
  const path = join(temporaryFolder('wallet'), 'ended-twice.db');
  const other = new Wallet(path, 1_000n);
  const gift = intentOf('order-ended-twice');
  other.deduct(gift);
  other.confirmed(gift.eventId, 'txn_before');
  other.confirmed(gift.eventId, 'txn_before');
  assert.deepEqual(told.mock.calls, []);
  other.restore(issueRestorationPermit({ eventId: gift.eventId, transactionId: 'txn_after', points: 100n }), gift.eventId);
  assert.deepEqual(
    told.mock.calls.map(({ arguments: words }) => words),
    [[gift.eventId, 'would be restored, and is confirmed: a person has to look']],
  );
  const rows = new DatabaseSync(path);
  after(() => rows.close());
  const { points, status } = rows.prepare('select points, status from account, gift').get() ?? {};
  assert.deepEqual([points, status], [900, 'confirmed']);
});

test('a permit with other points than were deducted gives nothing back, and the gift is confirmed again', () => {
  const gift = intentOf('order-other');
  const permitOf = (points: bigint) => issueRestorationPermit({ eventId: gift.eventId, transactionId: 'txn_other', points });
  wallet.deduct(gift);
  const [before] = read();
  wallet.restore(permitOf(99n), gift.eventId);
  const soon = new Date(Date.now() + 60_000);
  assert.deepEqual([read()[0], wallet.due(soon)], [before, [JSON.parse(JSON.stringify(gift))]]);
  wallet.restore(permitOf(100n), gift.eventId);
  assert.equal(read()[1]?.at(-1), 'restored');
  database.prepare('delete from gift where event_id = ?').run(gift.eventId);
});

test('what became due in one moment is taken up in parts, the oldest first, and spread when it is held again', () => {
  const path = join(temporaryFolder('wallet'), 'many.db');
  const many = new Wallet(path, 1_000n);
  const intents = Array.from({ length: 150 }, (_none, index) => intentOf(`order-many-${index}`, 1n));
  for (const intent of intents) many.deduct(intent);
  const rows = new DatabaseSync(path);
  after(() => rows.close());
  rows.exec('update gift set due_ms = rowid');
  const first = many.due();
  assert.deepEqual(
    first.map(({ eventId }) => eventId),
    intents.slice(0, 100).map(({ eventId }) => eventId),
  );
  const retryAt = new Date();
  for (const { eventId } of first) many.held(eventId, 'no_answer', retryAt);
  assert.equal(many.due().filter(({ eventId }) => !first.some((each) => each.eventId === eventId)).length, 50);
  const held = rows
    .prepare("select count(distinct due_ms) as times, min(due_ms) as first from gift where status = 'no_answer'")
    .get();
  assert.ok(Number(held?.['times']) > 50 && Number(held?.['first']) >= retryAt.getTime());
});

test('gifts whose confirmation ends with an error hold no other up: what is taken up is due again later', () => {
  const path = join(temporaryFolder('wallet'), 'failing.db');
  const failing = new Wallet(path, 1_000n);
  const intents = Array.from({ length: 101 }, (_none, index) => intentOf(`order-failing-${index}`, 1n));
  for (const intent of intents) failing.deduct(intent);
  const rows = new DatabaseSync(path);
  after(() => rows.close());
  rows.exec('update gift set due_ms = rowid');
  assert.equal(failing.due().length, 100);
  assert.deepEqual(
    failing.due().map(({ eventId }) => eventId),
    [intents[100]?.eventId],
  );
  assert.deepEqual(failing.due(), []);
  assert.equal(failing.due(new Date(Date.now() + 3_600_000)).length, 100);
});

test('of all looks together no more than 100 gifts are settled at a time', async () => {
  const path = join(temporaryFolder('wallet'), 'slow.db');
  const slow = new Wallet(path, 1_000n);
  for (let index = 0; index < 150; index++) slow.deduct(intentOf(`order-slow-${index}`, 1n));
  const rows = new DatabaseSync(path);
  after(() => rows.close());
  rows.exec('update gift set due_ms = rowid');
  const ends: (() => void)[] = [];
  const settle = () => new Promise<void>((resolve) => ends.push(resolve));
  for (let look = 0; look < 3; look++) slow.settleDue(settle);
  assert.equal(ends.length, 100);
  for (const end of ends.splice(0, 30)) end();
  await new Promise(setImmediate);
  slow.settleDue(settle);
  assert.equal(ends.length, 100);
});

// After some errors SQLite has rolled the transaction back itself: `raise(rollback)` ends as those do.
for (const end of ['abort', 'rollback'])
  test(`a look at what is due that fails, with the end ${end} of its transaction, is printed with its cause, and ends nothing`, (t) => {
    const path = join(temporaryFolder('wallet'), 'full.db');
    const full = new Wallet(path, 1_000n);
    full.deduct(intentOf('order-full', 1n));
    const rows = new DatabaseSync(path);
    after(() => rows.close());
    rows.exec(`update gift set due_ms = 0;
      create trigger full_disk before update on gift begin select raise(${end}, 'disk full'); end`);
    const print = t.mock.method(console, 'error', () => {});
    let settled = 0;
    const settle = async () => void settled++;
    full.settleDue(settle);
    assert.match(String(print.mock.calls[0]?.arguments[0]), /disk full/);
    rows.exec('drop trigger full_disk');
    full.settleDue(settle);
    assert.deepEqual([print.mock.callCount(), settled], [1, 1]);
  });

test('what is due is found by an index, whatever number of gifts there was', () => {
  const source = readFileSync(join(import.meta.dirname, '../../examples/wallet.ts'), 'utf8');
  const [, select = ''] = /const select = '(.*)'/.exec(source) ?? [];
  const plan = database.prepare(`explain query plan ${select}`).all(0, 100);
  assert.deepEqual(
    plan.map(({ detail }) => detail),
    ['SEARCH gift USING INDEX due_gifts (due_ms<?)'],
  );
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
