/**
 * Every list is read in one way: `limit` and `after`, `next_after` and `has_more`.
 *
 * @see docs/spec/decisions.md#9-self-service-and-pages.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { readList } from '../../docs/samples/read-list.ts';
import { writePageCursor } from '../../src/domain/page-cursor.ts';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { exactJson } from '../../src/wire/exact-json.ts';
import { answerProxy, type Fault } from '../support/answer-proxy.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { type Answer, type Client, uniqueId } from '../support/client.ts';
import { newBatch, withClosed } from '../support/environment.ts';
import { document, listMisfits } from '../support/published.ts';
import { needsLanguage, SAMPLES } from '../support/sample.ts';
import { testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
// biome-ignore lint/suspicious/noExplicitAny: the document is read as the JSON that it is
type Json = any;

/** `GET /v1/events` keeps the names that decisions, section 7, fixes. */
const OF_EVENTS = 'listEvents';

interface List {
  readonly operationId: string;
  readonly path: string;
  readonly query: Json[];
  readonly schema: Json;
  /** The member that has the records. */
  readonly name: string;
}

const lists: readonly List[] = Object.entries<Json>(document.paths).flatMap(([path, { get }]) => {
  const schema = get?.responses[200].content['application/json']?.schema;
  const arrays = Object.entries<Json>(schema?.properties ?? {}).filter(([, { type }]) => type === 'array');
  if (arrays.length === 0 || get.operationId === OF_EVENTS) return [];
  const query = get.parameters.filter((parameter: Json) => parameter.in === 'query');
  return [{ operationId: get.operationId, path, query, schema, name: arrays[0]?.[0] as string }];
});

/** The names that were published before, in question and answer. */
const OLDER: Record<string, { asked: string; answered: string }> = {
  listSettlements: { asked: 'before_sequence', answered: 'next_before_sequence' },
  listSettlementLines: { asked: 'after_line', answered: 'next_after_line' },
  listImpactBatchTransactions: { asked: 'after_transaction', answered: 'next_after_transaction' },
};

/** A partner that has several records on each of the lists, whose paths are filled in. */
async function withRecords() {
  const made = await withClosed(service, 3, 2, 1);
  const { client, closed } = made;
  const { client: manager } = await service.newPartner({ of: made.partner, key: { permission: 'manage' } });
  const { impactBatchId } = await newBatch(service.database, [made]);
  const settlementId = closed[0]?.settlementId as string;
  const header = 'partner_event_id,partner_order_ref,points\n';
  const taken = await client.call(`/v1/settlements/${settlementId}/reconciliations`, {
    method: 'POST',
    body: `${header}event-unknown-1,order-1,5\nevent-unknown-2,order-2,5\n`,
    headers: { 'content-type': 'text/csv', 'idempotency-key': uniqueId('key') },
  });
  const location = taken.headers.get('location') as string;
  await completeReconciliations(service.database, new AbortController().signal);
  assert.equal((await client.call(location)).body.reconciliation.status, 'done');
  const endpointId = await addEndpoints(manager, made.partner);
  const ids = {
    endpoint_id: endpointId,
    settlement_id: settlementId,
    impact_batch_id: impactBatchId,
    reconciliation_id: location.split('/').at(-1),
  };
  const pathOf = ({ path }: List) => path.replace(/\{(\w+)\}/g, (_, name: keyof typeof ids) => String(ids[name]));
  return { ...made, client: manager, pathOf };
}

/** @returns The first of three, which has got three deliveries. */
async function addEndpoints(client: Client, { partnerId }: { readonly partnerId: string }): Promise<string> {
  const receivers = [await WebhookReceiver.open(), await WebhookReceiver.open(), await WebhookReceiver.open()];
  const added: Answer[] = [];
  for (const { url } of receivers) added.push(await client.post('/v1/webhook-endpoints', { url }));
  for (let number = 0; number < 3; number++) await client.confirm();
  const areDelivered = (all: readonly { status: string }[]) =>
    all.length >= 9 && all.every(({ status }) => status === 'delivered');
  await untilDeliveries(service.database, partnerId, areDelivered);
  return added[0]?.body.webhook_endpoint.endpoint_id;
}

const one = await withRecords();
const other = await withRecords();

function detailsOf({ status, body }: Answer): unknown[] {
  return [status, body.error.code, body.error.details.map(({ field, code }: Json) => [field, code])];
}

async function firstPage(client: Client, path: string): Promise<Answer> {
  const page = await client.call(`${path}?limit=1`);
  assert.equal(page.status, 200, page.text);
  return page;
}

test('seven lists are known, and events', () => {
  assert.deepEqual(lists.map(({ operationId }) => operationId).sort(), [
    'listDeliveries',
    'listEmissionFactors',
    'listImpactBatchTransactions',
    'listReconciliationLines',
    'listSettlementLines',
    'listSettlements',
    'listWebhookEndpoints',
  ]);
});

for (const list of lists) {
  const { operationId, schema, query, name } = list;
  describe(operationId, () => {
    test('the document has limit and after in the query, next_after and has_more in the answer', () => {
      const names = query.filter(({ deprecated }) => !deprecated).map((parameter) => parameter.name);
      assert.ok(['limit', 'after'].every((each) => names.includes(each)));
      assert.ok([name, 'next_after', 'has_more'].every((each) => schema.required.includes(each)));
      assert.equal(schema.properties.next_after.type, 'string');
      const older = query.filter(({ deprecated }) => deprecated).map((parameter) => parameter.name);
      assert.deepEqual(older, OLDER[operationId] ? [OLDER[operationId].asked] : []);
    });

    test('page by page, as the sample of the guide reads it, it is what one page has', async () => {
      const path = one.pathOf(list);
      const whole = await one.client.call(path);
      assert.deepEqual([whole.status, listMisfits(schema, JSON.parse(whole.text))], [200, '']);
      assert.equal(whole.body.has_more, false);
      const seen = await Array.fromAsync(readList(`${one.client.baseUrl}${path}?limit=1`, name, one.client.apiKey));
      // The totals of an open settlement are those of the moment.
      const still = (records: Json[]) => records.map((record) => ({ ...record, as_of: null }));
      assert.deepEqual(still(seen), still(whole.body[name]));
      assert.ok(operationId === 'listEmissionFactors' || seen.length > 2);
    });

    test('after the last record comes an empty page, whose next_after repeats the place', async () => {
      const path = one.pathOf(list);
      const last = (await one.client.call(path)).body.next_after;
      const { body } = await one.client.call(`${path}?after=${last}`);
      assert.deepEqual([body[name], body.next_after, body.has_more], [[], last, false]);
    });

    test('what is no next_after of this list is invalid_request, whether it is another list has it, another partner, or nobody', async () => {
      const path = one.pathOf(list);
      const strangers = lists.filter((each) => each !== list).map((each) => firstPage(one.client, one.pathOf(each)));
      const foreign = operationId === 'listEmissionFactors' ? [] : [firstPage(other.client, other.pathOf(list))];
      for (const stranger of await Promise.all([...strangers, ...foreign])) {
        const answer = await one.client.call(`${path}?after=${stranger.body.next_after}`);
        assert.deepEqual(detailsOf(answer), [400, 'invalid_request', [['after', 'not_of_this_list']]]);
      }
      for (const text of ['', '-1', `${'a'.repeat(257)}`, 'a b', encodeURIComponent('شجرة')]) {
        const answer = await one.client.call(`${path}?after=${text}`);
        assert.deepEqual(detailsOf(answer), [400, 'invalid_request', [['after', 'wrong_form']]], text);
      }
      assert.equal((await one.client.call(`${path}?after=pAAAA`)).status, 400);
    });

    test('a cursor that somebody made for a place that cannot be is refused too', async () => {
      const owner = one.partnerId;
      const record = one.pathOf(list).split('/').at(-2) as string;
      for (const named of [[operationId], [operationId, owner], [operationId, owner, record]])
        for (const place of ['x', '-1', '1e3', '9223372036854775808', ' ', 'txn_nobody']) {
          const answer = await one.client.call(`${one.pathOf(list)}?after=${writePageCursor(named, place)}`);
          assertError(answer, 'invalid_request');
        }
    });

    const older = OLDER[operationId];
    if (older)
      test(`${older.asked} and ${older.answered} say the same, and not both may be sent`, async () => {
        const path = one.pathOf(list);
        const { body } = await firstPage(one.client, path);
        const byOlder = await one.client.call(`${path}?limit=1&${older.asked}=${body[older.answered]}`);
        const byAfter = await one.client.call(`${path}?limit=1&after=${body.next_after}`);
        assert.equal(byOlder.status, 200, byOlder.text);
        assert.deepEqual({ ...byOlder.body, request: null }, { ...byAfter.body, request: null });
        assert.notDeepEqual(byAfter.body[name], body[name]);
        const both = await one.client.call(`${path}?after=${body.next_after}&${older.asked}=${body[older.answered]}`);
        assert.deepEqual(detailsOf(both), [400, 'invalid_request', [[older.asked, 'not_together']]]);
      });
  });
}

test('listReconciliationLines takes the position of a line as after, the earlier form of it', async () => {
  const list = lists.find(({ operationId }) => operationId === 'listReconciliationLines') as List;
  const path = one.pathOf(list);
  const all = (await one.client.call(path)).body.lines;
  const { body } = await one.client.call(`${path}?after=${all[0].position}`);
  assert.deepEqual(body.lines, all.slice(1));
});

/** What docs/samples/read-list.py reads, as text with all digits; its error otherwise. */
async function readByPython(url: string, name: string, apiKey: string): Promise<string> {
  const program = `import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("sample", sys.argv[1])
sample = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sample)
try:
    print(json.dumps(list(sample.read_list(*sys.argv[2:])), sort_keys=True))
except RuntimeError as error:
    print(error)`;
  const args = ['-c', program, `${SAMPLES}/read-list.py`, url, name, apiKey];
  return (await promisify(execFile)('python3', args)).stdout.trimEnd();
}

/** What docs/samples/read-list.ts reads, likewise. */
function readByTypescript(url: string, name: string, apiKey: string): Promise<string> {
  return Array.fromAsync(readList(url, name, apiKey)).then(exactJson, (error: Error) => error.message);
}

for (const [language, readRecords] of [
  ['ts', readByTypescript],
  ['py', readByPython],
] as const)
  describe(`read-list.${language}`, needsLanguage(language), () => {
    const read = async (faults: readonly Fault[], apiKey = one.client.apiKey) => {
      const { baseUrl, exchanges } = await answerProxy(service.baseUrl, faults);
      return { exchanges, text: await readRecords(`${baseUrl}/v1/settlements?limit=1`, 'settlements', apiKey) };
    };
    const wait = (retryAfter: string): Fault => ({
      status: 503,
      headers: { 'retry-after': retryAfter },
      body: '{"error":{"code":"internal_service_unavailable","message":"Ask again.","retryable":true}}',
    });

    test('reads every page, and goes on after a request to wait, a lost answer and a page of a gateway', async () => {
      const faults: Fault[] = [wait('1'), 'answer_lost', { status: 502, body: '<h1>502</h1>' }, 'none'];
      const { text, exchanges } = await read(faults);
      const { settlements } = (await one.client.call('/v1/settlements')).body;
      assert.ok(settlements.length > 2);
      assert.deepEqual(
        text.match(/(?<="settlement_id": ?")stl_\w+/g),
        settlements.map(({ settlement_id }: Json) => settlement_id),
      );
      const expected = ['GET 503', 'GET answer_lost', 'GET 502', ...settlements.map(() => 'GET 200')];
      assert.deepEqual(exchanges, expected);
    });

    test('does not ask for ever', async () => {
      const { text, exchanges } = await read([wait('0.001')]);
      assert.deepEqual([text, exchanges.length], ['internal_service_unavailable: Ask again.', 10]);
    });

    test('says what answers instead of the service, and follows it nowhere', async () => {
      const elsewhere: Fault = { status: 302, headers: { location: `${service.baseUrl}/v1/settlements` }, body: '' };
      const { text, exchanges } = await read([elsewhere]);
      assert.match(text, /^no_answer: ./);
      assert.deepEqual(exchanges, Array(10).fill('GET 302'));
    });

    test('ends at a refusal', async () => {
      const { text, exchanges } = await read(['none'], 'pi_sandbox_wrong');
      assert.match(text, /^unauthorized: /);
      assert.deepEqual(exchanges, ['GET 401']);
    });

    test('reads integers with all their digits', async () => {
      const body = '{"settlements":[{"net_points":9223372036854775809}],"has_more":false,"next_after":"x"}';
      assert.match((await read([{ status: 200, body }])).text, /^\[\{"net_points": ?9223372036854775809\}\]$/);
    });
  });
