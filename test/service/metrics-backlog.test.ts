/** What a look at the metrics costs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/domain/identifiers.ts';
import { type Database, openDatabase, type Queryable } from '../../src/store/database.ts';
import { insertEventCounter } from '../../src/store/events/event.ts';
import { COUNTED_MAX, measureBacklog } from '../../src/store/webhooks/delivery-backlog.ts';
import { insertWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { testDatabase } from '../support/postgres/database.ts';

const { databaseUrl, pool: administrator } = await testDatabase();

test('a scrape reads as many pages however many deliveries wait or are exhausted', { timeout: 120_000 }, async () => {
  const database = openDatabase({ databaseUrl, poolSize: 2 });
  try {
    const endpoint = { partnerId: newId('ptn'), endpointId: newId('wep') };
    await insertEventCounter(database.pool, endpoint.partnerId);
    await insertWebhookEndpoint(database.pool, {
      ...endpoint,
      url: 'https://example.com/',
      eventTypes: [],
      secretSealed: 'none',
    });
    const pileUp = (prefix: string, count: number) =>
      administrator.query(
        `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
          next_attempt_at, created_at, ended_at)
        select $1, $3 || status || number, $2, 'evt_' || number, number, 'settlement.created', 'event', status, 10, now(),
          now() - number * interval '1 second', case status when 'exhausted' then now() end
        from generate_series(1, $4::int4) as number, unnest('{waiting,exhausted}'::text[]) as status
`,
        [endpoint.partnerId, endpoint.endpointId, prefix, count],
      );
    await pileUp('dlv_few-', COUNTED_MAX);
    await administrator.query('vacuum analyze delivery');
    const few = await countPages(database);
    await pileUp('dlv_many-', 5 * COUNTED_MAX);
    await administrator.query('vacuum analyze delivery');
    const many = await countPages(database);
    assert.ok(many <= few * 1.5 + 50, `${many} pages where ${few} were enough`);
    const { waiting, exhausted, oldestWaitingSeconds } = await measureBacklog(database);
    assert.deepEqual([waiting, exhausted], [COUNTED_MAX, COUNTED_MAX]);
    assert.ok(oldestWaitingSeconds > 0);
  } finally {
    await database.close();
  }
});

/** The pages that the statements of one look read. */
async function countPages(database: Database): Promise<number> {
  const caught: { text: string; values: unknown[] }[] = [];
  const catching = {
    query: (statement: { text: string; values: unknown[] }) => {
      caught.push(statement);
      return database.pool.query(statement);
    },
  } as unknown as Queryable;
  await measureBacklog({ pool: catching as Database['pool'], isDistributed: false });
  let pages = 0;
  for (const { text, values } of caught) {
    const { rows } = await database.pool.query({ text: `explain (analyze, buffers, format json) ${text}`, values });
    const plan = rows[0]['QUERY PLAN'][0].Plan;
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
  return pages;
}
