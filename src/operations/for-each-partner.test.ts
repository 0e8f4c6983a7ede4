import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { NodeReader } from '../store/node-reader.ts';
import { forEachPartner, PartnersLeftError } from './for-each-partner.ts';

/** Nobody listens there: a database of which no node answers. */
const pool = new pg.Pool({ host: '127.0.0.1', port: 1 });
after(() => pool.end());
const nodes = () => new NodeReader({ pool, isDistributed: true });
const failed = (count: number) => `${count} failed.`;
const work = async ({ partnerId }: { partnerId: string }) => {
  if (partnerId !== 'ptn_2') throw new Error(`no luck with ${partnerId}`);
};

test('a partner whose work failed is left, also where its node cannot be looked at', async () => {
  const partners = ['ptn_1', 'ptn_2', 'ptn_3'].map((partnerId) => ({ partnerId }));
  await assert.rejects(forEachPartner(nodes(), partners, { failed }, work), (error: PartnersLeftError) => {
    assert.ok(error instanceof PartnersLeftError);
    assert.deepEqual([...error.partnerIds], ['ptn_1', 'ptn_3']);
    assert.match(error.message, /^2 failed\. The first: no luck with ptn_1\. Left: ptn_1, ptn_3\.$/);
    return true;
  });
});

test('partners that cannot be listed to their end hide none that is left, and are not taken for those that are left', async () => {
  async function* broken() {
    yield { partnerId: 'ptn_1' };
    yield { partnerId: 'ptn_2' };
    throw new Error('the list is broken');
  }
  await assert.rejects(forEachPartner(nodes(), broken(), { failed }, work), (error: AggregateError) => {
    assert.ok(!(error instanceof PartnersLeftError));
    assert.match(error.message, /^the list is broken\. 1 failed\. The first: no luck with ptn_1\./);
    assert.deepEqual([...(error.errors[1] as PartnersLeftError).partnerIds], ['ptn_1']);
    return true;
  });
  const noWork = forEachPartner(nodes(), broken(), { failed }, async () => {});
  await assert.rejects(noWork, /^Error: the list is broken$/);
});
