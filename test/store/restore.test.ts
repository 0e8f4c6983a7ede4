/** The dump and the copy of docs/operating.md, word for word, onto a server that lacks the role of the service. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { approveFailure, draftFailure } from '../../src/operations/contributions/record-failure.ts';
import type { Queryable } from '../../src/store/database.ts';
import { assignSequences } from '../../src/store/events/assign-sequences.ts';
import { assignSequencesOnNode } from '../../src/store/events/assign-sequences-on-node.ts';
import { findLastSequence, insertEvent, listEvents } from '../../src/store/events/event.ts';
import { WHOLE_OUTBOX } from '../../src/store/events/event-outbox.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { enrolled } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, Client, newConfirmation } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { listBlocks, readDocument } from '../support/document-blocks.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { BINARIES } from '../support/postgres/embedded.ts';
import { spawnService, testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROLE = `impact_service_${process.pid}`;
const written = listBlocks().filter(({ path, tag }) => path === 'docs/operating.md' && ['sh', 'sql'].includes(tag));
const textOf = (words: string) => written.find(({ text }) => text.includes(words))?.text ?? '';
const [dump = '', restore = ''] = textOf('pg_dump').split('\n');
const grants = textOf('create role impact_service').replaceAll('impact_service', ROLE).replaceAll('for role impact ', '');

const ofWaiting = textOf('update event_outbox');
const ofPositions = textOf("setval('event_outbox_position_seq'");
const ofSequences = textOf('update event_counter');

/** As a relay that has more events than it takes at once. */
const ONE_AT_ONCE = { limit: 1, attemptsMax: 10, range: WHOLE_OUTBOX };

test('a dump of the role of the service, restored, passes every verification, and gets what was recorded after it from the partner, once', {
  skip: BINARIES === '' && 'the packages have no pg_dump',
}, async () => {
  const { databaseUrl, database, newPartner } = await testService();
  const { partner, client, key } = await newPartner();
  const confirmations = ['before', 'after'].map((name) => ({ ...newConfirmation(), partner_event_id: `restore-${name}` }));
  const send = (to: Client) => (body: (typeof confirmations)[0]) =>
    to.confirm(body, { 'idempotency-key': `key-of-${body.partner_event_id}` });
  const [before = assert.fail(), later = assert.fail()] = confirmations;
  const first = await send(client)(before);
  assert.equal(first.status, 201, first.text);
  await untilEvents(client, 1);
  const copy = await emptyDatabase();
  const folder = temporaryFolder('restore');
  const asService = databaseUrl.replace('user=postgres', `user=${ROLE}`);
  const shell = (line: string) =>
    spawnSync('sh', ['-ec', line], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: `${BINARIES}:${process.env['PATH']}`, DATABASE_URL: asService, EMPTY_DATABASE_URL: copy.databaseUrl },
    });

  await database.pool.query(grants);
  const dumped = shell(dump);
  assert.equal(dumped.status, 0, dumped.stderr);
  await send(client)(later);
  const [, lost] = await untilEvents(client, 2);
  await database.pool.query(`drop owned by ${ROLE}; drop role ${ROLE}`);
  const restored = shell(restore);
  assert.equal(restored.status, 0, restored.stderr);

  const env = { AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(',') };
  const { run } = commandLine({ DATABASE_URL: copy.databaseUrl, ...env });
  const verify = async () => {
    for (const words of [['doctor'], ['verify']]) {
      const { code, stdout, stderr } = await run(words);
      assert.equal(code, 0, `${words}: ${stdout}${stderr}`);
    }
  };
  await verify();
  const { rows } = await copy.pool.query('select partner_id from contribution');
  assert.deepEqual(rows, [{ partner_id: partner.partnerId }]);

  await copy.pool.query(ofWaiting);
  await copy.pool.query(ofSequences);
  const answering = await spawnService(copy.databaseUrl, env, ['--roles', 'api']);
  const again = await Promise.all(confirmations.map(send(new Client(answering.baseUrl, key.apiKey))));
  assert.deepEqual(
    again.map(({ status, headers }) => [status, headers.get('idempotent-replayed')]),
    [
      [201, 'true'],
      [201, null],
    ],
  );
  assert.equal(again[0]?.body.contribution.transaction_id, first.body.contribution.transaction_id);
  await answering.end('SIGTERM');
  const whole = await spawnService(copy.databaseUrl, env);
  const events = await untilEvents(new Client(whole.baseUrl, key.apiKey), 2);
  assert.equal(events[1]?.data.contribution.transaction_id, again[1]?.body.contribution.transaction_id);
  // None that the partner has seen with another event.
  assert.ok(events[1]?.sequence > lost?.sequence, `${events[1]?.sequence} after ${lost?.sequence}`);
  await whole.end('SIGTERM');
  await verify();
});

test('what is recorded as failed after a restore is told from the role webhooks on alone, as the contribution that the approval shows', async () => {
  const { databaseUrl, database, newPartner } = await testService({ roles: ['api'] });
  const { partner, client } = await newPartner();
  const { partnerId } = partner;
  const [operator, approver] = await enrolled(database, 'operator', 'approver');
  const event = { partnerEventId: 'restored-failure', partnerOrderRef: 'order-restored', points: 250n };
  const { failureId } = await draftFailure(database, operator, { partnerId, ...event, reason: 'the points were given back' });
  const { draft } = await approveFailure(database, approver, { partnerId, failureId });
  const listFailures = async () => {
    const { events } = (await client.listEvents()).body;
    return events.filter(({ event_type }: Answer['body']) => event_type === 'impact.transaction.adjusted');
  };
  assert.equal((await client.findByEvent(event.partnerEventId)).body.contribution.transaction_id, draft.transactionId);
  assert.deepEqual(await listFailures(), []);
  await spawnService(databaseUrl);
  const told = await waitFor('event of the failure', async () => (await listFailures())[0]);
  assert.deepEqual([told.data.change, told.data.contribution.transaction_id], ['failed', draft.transactionId]);
});

for (const { name, assign } of [
  { name: 'assignSequences', assign: (db: Queryable, partnerId: string) => assignSequences(db, partnerId, ONE_AT_ONCE) },
  {
    name: 'assignSequencesOnNode',
    assign: (db: Queryable, partnerId: string) => assignSequencesOnNode(db, partnerId, ONE_AT_ONCE),
  },
])
  test(`events that waited for their sequences in a dump get them before newer ones, though the old server had counted further (${name})`, async () => {
    const { database, newPartner } = await testService({ roles: ['api'] });
    const { partnerId } = (await newPartner()).partner;
    await database.pool.query('delete from event_outbox');
    const about = { eventType: 'settlement.created', subjectId: 'stl_1', correlationId: null, data: '{"settlement_id":"stl_1"}' };
    const record = (eventId: string) => insertEvent(database.pool, { partnerId, eventId, ...about });
    for (const eventId of ['evt_dumped-1', 'evt_dumped-2']) await record(eventId);
    await database.pool.query("update event_outbox set written_by = '99999999999'");
    await database.pool.query(ofWaiting);
    await record('evt_newer-1');
    const limited = (db: Queryable) => assign(db, partnerId);
    for (let each = 0; each < 3; each++) await inTransaction(database, USUAL_LOCK_TIMEOUT, limited);
    const events = await listEvents(database.pool, partnerId, { afterSequence: 0n, limit: 10 });
    assert.deepEqual(
      events.map(({ eventId }) => eventId),
      ['evt_dumped-1', 'evt_dumped-2', 'evt_newer-1'],
    );
  });

test('events that waited for their sequences on a server that logical replication has replaced get them before newer ones', async () => {
  const { database, newPartner } = await testService({ roles: ['api'] });
  const { partnerId } = (await newPartner()).partner;
  await database.pool.query('delete from event_outbox');
  await database.pool.query(
    `insert into event_outbox (partner_id, position, event_id, event_type, subject_id, occurred_at, data, written_by) overriding system value
    values ($1, 70, 'evt_replicated-1', 'settlement.created', 'stl_1', now(), '{}', '99999999999'),
      ($1, 71, 'evt_replicated-2', 'settlement.created', 'stl_1', now(), '{}', '99999999998')`,
    [partnerId],
  );
  for (const statement of [ofPositions, ofWaiting]) await database.pool.query(statement);
  const newer = { eventType: 'settlement.created', subjectId: 'stl_1', correlationId: null, data: '{}' };
  await insertEvent(database.pool, { partnerId, eventId: 'evt_newer-2', ...newer });
  await assignSequences(database.pool, partnerId, { ...ONE_AT_ONCE, limit: 3 });
  const events = await listEvents(database.pool, partnerId, { afterSequence: 0n, limit: 10 });
  assert.deepEqual(
    events.map(({ eventId }) => eventId),
    ['evt_replicated-1', 'evt_replicated-2', 'evt_newer-2'],
  );
});

test('in the order of the steps, no partner gets an event under a sequence that it has seen with another, one that operators create again neither', async () => {
  const { database, newPartner } = await testService({ roles: ['api'] });
  const [operator] = await enrolled(database, 'operator');
  const partnerIds = [(await newPartner()).partner.partnerId];
  const [, section = ''] = readDocument('docs/operating.md').split('### After a restore\n');
  for (const step of section.split(/^\d\. /m).slice(1)) {
    if (step.includes('update event_counter')) await database.pool.query(ofSequences);
    if (step.startsWith('Repeat what operators changed'))
      partnerIds.push((await createPartner(database, operator, 'Created again')).partnerId);
  }
  const lastOf = (partnerId: string) => findLastSequence(database.pool, partnerId);
  assert.deepEqual(await Promise.all(partnerIds.map(lastOf)), [1_000_000n, 1_000_000n]);
});

async function untilEvents(client: Client, count: number) {
  let events: Answer['body'][] = [];
  await waitFor(`${count} events of confirmations`, async () => {
    const listed: Answer['body'][] = (await client.listEvents()).body.events;
    events = listed.filter(({ event_type }) => event_type === 'impact.transaction.confirmed');
    return events.length === count;
  });
  return events;
}
