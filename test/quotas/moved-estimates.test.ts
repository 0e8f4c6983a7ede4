/** An advance of the clock of a sandbox writes the rows of live estimates anew, which the quota of the day counts: docs/decisions/0070. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setPartnerQuota } from '../../src/operations/quotas/manage-partner-quota.ts';
import { readSandboxClock } from '../../src/operations/sandbox/advance-clock.ts';
import { findDailyUsage } from '../../src/store/quotas/daily-usage.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { detailCodes, uniqueId } from '../support/client.ts';
import { untilDayLastsForTest } from '../support/clock/quota-day.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
beforeEach(untilDayLastsForTest);

test(
  'estimates that an advance of the clock moves count, and while the quota of bytes is spent the clock stands',
  HANG_LIMIT,
  async () => {
    const { client, partner } = await service.newPartner();
    const { partnerId } = partner;
    const storedBytes = async () => (await findDailyUsage(database.pool, partnerId)).storedBytes;
    const advance = (key = uniqueId('key')) => client.post('/v1/sandbox/clock', { advance: 'PT1H' }, { 'idempotency-key': key });
    for (let made = 0; made < 3; made++) assert.equal((await client.estimate()).status, 201);
    await waitFor('the count of the estimates', async () => (await storedBytes()) >= 3 * 430);
    const before = await storedBytes();
    assert.equal((await advance()).status, 201);
    await waitFor('the count of the moved estimates', async () => (await storedBytes()) > before);
    assert.equal(await storedBytes(), before + 3 * 430);
    await setPartnerQuota(database, OWNER, partnerId, { bytesPerDay: 1 });
    await client.confirm();
    await waitFor('estimate that is refused', async () => (await client.estimate()).status === 429);
    const aheadHours = async () => Math.round(((await readSandboxClock(database, partnerId)).getTime() - Date.now()) / 3_600_000);
    const key = uniqueId('key');
    const refused = await advance(key);
    assertError(refused, 'rate_limited');
    assert.deepEqual(detailCodes(refused), { quota: 'bytes_of_day_spent' });
    assert.equal(await aheadHours(), 1);
    await setPartnerQuota(database, OWNER, partnerId, { bytesPerDay: 1_000_000_000 });
    await waitFor('advance that is accepted', async () => (await advance(key)).status === 201);
    assert.equal(await aheadHours(), 2);
  },
);

test(
  'while the quota of bytes is spent, an advance of the clock that moves no estimate is done, and one of a wrong form is refused as such',
  HANG_LIMIT,
  async () => {
    const { client, partner } = await service.newPartner();
    const { partnerId } = partner;
    const advance = (by: string) => client.post('/v1/sandbox/clock', { advance: by }, { 'idempotency-key': uniqueId('key') });
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    await setPartnerQuota(database, OWNER, partnerId, { bytesPerDay: 1 });
    await client.confirm();
    await waitFor('advance that is refused', async () => (await advance('PT1S')).status === 429);
    const wrong = await advance('tomorrow');
    assertError(wrong, 'invalid_request');
    assert.deepEqual(detailCodes(wrong), { advance: 'wrong_form' });
    const far = await advance('P6Y');
    assert.deepEqual(detailCodes(far), { advance: 'too_large' });
    const linking = await client.confirm({ calculation_id, partner_order_ref });
    assert.equal(linking.body.association.status, 'associated');
    const done = await advance('PT1H');
    assert.equal(done.status, 201);
    assert.equal(done.body.done.estimates_expired, 0n);
  },
);
