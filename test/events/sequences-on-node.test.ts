/** Sequences of a distributed database: each statement reads one node alone, and the oldest events of a partner by their transactions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/domain/identifiers.ts';
import { assignSequencesOnNode } from '../../src/store/events/assign-sequences-on-node.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { testService } from '../support/service.ts';

const { database, newPartner } = await testService({ roles: ['api'] });

test('events of transactions whose numbers have different lengths get their sequences in the order of the numbers', async () => {
  const { partnerId } = (await newPartner()).partner;
  const numbers = ['99999999998', '99999999999', '100000000000', '100000000001'];
  const written = numbers.map((number) => ({ number, eventId: newId('evt') }));
  for (const { number, eventId } of written)
    await database.pool.query(
      `insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at, written_by)
        values ($1, $2, 'settlement.created', 'stl_1', now(), $3::xid8)`,
      [partnerId, eventId, number],
    );
  const assign = (limit: number) =>
    inTransaction(database, USUAL_LOCK_TIMEOUT, (db) => assignSequencesOnNode(db, partnerId, { limit, attemptsMax: 10 }));
  // The first one is that of the partner's first settlement.
  assert.equal((await assign(4)).sequenced, 4);
  assert.deepEqual(await assign(4), { sequenced: 1, deliveries: 0, isComplete: true, isFull: false });
  const { rows } = await database.pool.query('select event_id as "eventId" from event where partner_id = $1 order by sequence', [
    partnerId,
  ]);
  assert.deepEqual(
    rows.slice(1).map(({ eventId }) => eventId),
    written.map(({ eventId }) => eventId),
  );
});
