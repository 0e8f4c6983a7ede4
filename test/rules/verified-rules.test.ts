/** The versions of the rules are compared with the audit while operators make and withdraw others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type pg from 'pg';
import { changeSettlementPolicy } from '../../src/operations/access/manage-partner.ts';
import { approveAdjustment, draftAdjustment, postAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { approveFailure, draftFailure } from '../../src/operations/contributions/record-failure.ts';
import { createRule, withdrawRule } from '../../src/operations/rules/manage-rule.ts';
import { doubtsUnderAudit, pricesUnderRules } from '../../src/operations/rules/rule-prices.ts';
import { readVerifiedRuleEntries, readVerifiedRules } from '../../src/operations/rules/verified-rules.ts';
import { readSettlementView } from '../../src/operations/settlements/read-settlements.ts';
import type { Database } from '../../src/store/database.ts';
import { enrolled, OWNER, signedIn } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { insertPrice } from '../support/rules.ts';
import { testService } from '../support/service.ts';
import { closeRegularly, getOpen, openFirst, tools as settlementTools } from '../support/settlements.ts';

const { database, newPartner } = await testService();
const { pool, auditKeys } = database;
const admin = signedIn('admin');

/** The pool, on which something else is committed behind the first statement. */
function withOneBetween(change: () => Promise<unknown>): pg.Pool {
  let isDone = false;
  const query = async (...words: Parameters<typeof pool.query>) => {
    const result = await pool.query(...words);
    if (!isDone) {
      isDone = true;
      await change();
    }
    return result;
  };
  return { query } as unknown as pg.Pool;
}

test('a version that is made or withdrawn meanwhile is no difference', async () => {
  const { partner } = await newPartner();
  const rule = {
    kind: 'tree_cost',
    version: uniqueId('meanwhile'),
    partnerId: partner.partnerId,
    startsAt: new Date('2099-01-01'),
  } as const;
  for (const change of [() => createRule(database, admin, rule), () => withdrawRule(database, admin, rule)]) {
    const { doubts, sealed } = await readVerifiedRuleEntries(withOneBetween(change), auditKeys);
    assert.deepEqual([...doubts], []);
    assert.ok(sealed.some(({ version }) => version === rule.version));
  }
  const another = { ...rule, version: uniqueId('meanwhile') };
  await readVerifiedRules(
    withOneBetween(() => createRule(database, admin, another)),
    auditKeys,
    partner.partnerId,
  );
});

/** The same database, and every row that it answers, as text. */
function overheard(): { readonly heard: Database; readonly rows: string[] } {
  const rows: string[] = [];
  const listen =
    (db: { query(...words: unknown[]): Promise<pg.QueryResult> }) =>
    async (...words: unknown[]) => {
      const result = await db.query(...words);
      for (const row of result.rows ?? []) rows.push(inspect(row));
      return result;
    };
  const connect = async () => {
    const client = await pool.connect();
    return { query: listen(client as never), release: (isBroken?: boolean) => client.release(isBroken) };
  };
  return { heard: { ...database, pool: { query: listen(pool as never), connect } as unknown as pg.Pool }, rows };
}

test("settlements, adjustments, failures and a withdrawal read no version of another partner's rules", async () => {
  const [{ partner, client }, other] = [await newPartner(), await newPartner()];
  const { partnerId } = partner;
  await openFirst(database, partner);
  for (const each of [partner, other.partner]) await changeSettlementPolicy(database, OWNER, each.partnerId, { currency: 'SAR' });
  const [own, foreign] = [uniqueId('own'), uniqueId('foreign')];
  const price = { starts: '-1 day', price: '0.05' };
  await insertPrice(database, 'point_conversion', { ...price, partnerId, label: own });
  await insertPrice(database, 'point_conversion', { ...price, partnerId: other.partner.partnerId, label: foreign });
  const coming = { kind: 'tree_cost', version: uniqueId('coming'), partnerId, startsAt: new Date('2099-01-01') } as const;
  await createRule(database, admin, coming);
  const transactionId = await waitFor('contribution under its own version', async () => {
    const { contribution } = (await client.confirm({ points: 100 })).body;
    return contribution.point_conversion_version === own ? (contribution.transaction_id as string) : undefined;
  });
  const { heard, rows } = overheard();
  const tools = { ...settlementTools(), pricesOf: pricesUnderRules, doubtsOf: doubtsUnderAudit };
  const [ada, bea] = await enrolled(database, 'operator', 'approver');
  const why = { reasonCode: 'operator_error', reasonEn: 'Twice.', reasonAr: 'مرتين.' } as const;
  const wanted = { partnerId, transactionId, ...why, pointsDelta: -1n, amountDelta: null, reversalOf: null };
  const drafted = await draftAdjustment(heard, ada, wanted, tools);
  await postAdjustment(heard, ada, await approveAdjustment(heard, bea, drafted, tools), tools);
  await readSettlementView(heard, pricesUnderRules, await getOpen(database, partnerId));
  const { closed } = await closeRegularly(heard, partnerId, tools);
  const event = { partnerId, partnerEventId: uniqueId('event'), partnerOrderRef: uniqueId('order'), points: 5n };
  await approveFailure(heard, bea, await draftFailure(heard, ada, { ...event, reason: 'never stored' }));
  await withdrawRule(heard, admin, coming);
  assert.ok(closed.totals?.amount, 'its own version prices it');
  assert.ok(rows.some((row) => row.includes(own)));
  assert.deepEqual(
    rows.filter((row) => row.includes(foreign)),
    [],
  );
});

test('one that is removed is one', async () => {
  const rule = { kind: 'tree_cost', version: uniqueId('removed'), startsAt: new Date('2098-01-01') } as const;
  await createRule(database, admin, rule);
  await asSuperuser(pool, async (client) => {
    await client.query('delete from rule_version where version = $1', [rule.version]);
  });
  const { doubts } = await readVerifiedRuleEntries(pool, auditKeys);
  assert.deepEqual([...doubts], [[`tree_cost/${rule.version}`, 'it was removed, but the audit has it']]);
  const { partner } = await newPartner();
  await assert.rejects(
    readVerifiedRules(pool, auditKeys, partner.partnerId),
    new RegExp(`${rule.version} differs .* was removed`),
  );
});
