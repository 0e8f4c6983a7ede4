/** The versions of the rules are compared with the audit while operators make and withdraw others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { createRule, withdrawRule } from '../../src/operations/rules/manage-rule.ts';
import { readVerifiedRuleEntries, readVerifiedRules } from '../../src/operations/rules/verified-rules.ts';
import { signedIn } from '../support/actor.ts';
import { uniqueId } from '../support/client.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';

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

test('one that is removed is one', async () => {
  const rule = { kind: 'tree_cost', version: uniqueId('removed'), startsAt: new Date('2098-01-01') } as const;
  await createRule(database, admin, rule);
  await asSuperuser(pool, async (client) => {
    await client.query('delete from rule_version where version = $1', [rule.version]);
  });
  const { doubts } = await readVerifiedRuleEntries(pool, auditKeys);
  assert.deepEqual([...doubts], [[`tree_cost/${rule.version}`, 'it was removed, but the audit has it']]);
});
