/** The document that partners generate their clients from. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { validate } from '@scalar/openapi-validator';
import { ERROR_CODE_NAMES } from '../../src/domain/error-codes.ts';
import { EVENT_TYPES, TEST_TYPE, VERIFICATION_TYPE } from '../../src/domain/events/event.ts';
import { renderPartnerDocument } from '../../src/partner-api/openapi/render-document.ts';
import { signAttempt } from '../../src/webhooks/security/signature.ts';
import { document, listMisfits, writtenDocument } from '../support/published.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is read as the JSON that it is
type Json = any;
/** As it is written, open. */
const published: Json = JSON.parse(writtenDocument);
const operations: Json[] = Object.values<Json>(document.paths).flatMap((path) => Object.values(path));

test('openapi/partner.json is what the routes make', async () => {
  assert.equal(await renderPartnerDocument(), writtenDocument, 'run `npm run openapi` and review the difference');
});

test('it is OpenAPI 3.1, by the published schema of that format', () => {
  const { valid, errors, version } = validate(published);
  assert.deepEqual([valid, errors, version], [true, [], '3.1']);
});

test('the rotation of a secret needs no body, as the service answers it, and tells what each step does', () => {
  const withBody = operations.filter(({ requestBody }) => requestBody);
  assert.deepEqual(
    withBody.filter(({ requestBody }) => requestBody.required !== true).map(({ operationId }) => operationId),
    ['rotateWebhookSecret'],
  );
  const { description, requestBody } = operations.find(({ operationId }) => operationId === 'rotateWebhookSecret');
  for (const step of requestBody.content['application/json'].schema.properties.step.enum)
    assert.ok(description.includes(`\`${step}\``), step);
});

test('it has the six operations of the contract, by their ids ("Endpoints"), and what was added to them', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.deepEqual(operations.map(({ operationId }) => operationId).sort(), [
    'acknowledgeSettlement',
    'advanceSandboxClock',
    'associateEmissionsEstimate',
    'closeSandboxSettlement',
    'confirmContribution',
    'createDeliveryEmissionsEstimate',
    'createWebhookEndpoint',
    'deleteWebhookEndpoint',
    'expireSandboxEstimate',
    'getContributionById',
    'getContributionByPartnerEventId',
    'getDeliveryEmissionsEstimate',
    'getEmissionFactors',
    'getEnvironmentalStatus',
    'getEstimateCalculation',
    'getEvent',
    'getPartner',
    'getReconciliation',
    'getSandboxReadiness',
    'getSettlement',
    'getSettlementStatement',
    'getWebhookEndpoint',
    'listDeliveries',
    'listEmissionFactors',
    'listEvents',
    'listImpactBatchTransactions',
    'listReconciliationLines',
    'listSettlementLines',
    'listSettlements',
    'listWebhookEndpoints',
    'makeSandboxImpactBatch',
    'postSandboxAdjustment',
    'reconcileSettlement',
    'recordSandboxFailure',
    'recoverDeliveries',
    'resendDelivery',
    'resolveSandboxContribution',
    'rotateWebhookSecret',
    'sendSandboxEvent',
    'updateWebhookEndpoint',
  ]);
});

describe('what it promises of the future and of bounds', () => {
  const count = (value: Json, found: (schema: Json) => boolean): number =>
    typeof value !== 'object' || value === null
      ? 0
      : Number(found(value)) + Object.values(value).reduce<number>((sum, each) => sum + count(each, found), 0);
  const isClosed = ({ additionalProperties }: Json) => additionalProperties === false;
  const all: Json[] = Object.values<Json>(published.paths).flatMap((path) => Object.values(path));

  test('answers and webhooks are open to new members, and what a partner sends is closed', () => {
    assert.equal(count([published.components.schemas, published.webhooks, all.map(({ responses }) => responses)], isClosed), 0);
    const bodies = all.map(({ requestBody }) => requestBody?.content['application/json'].schema).filter(Boolean);
    for (const schema of bodies) assert.equal(isClosed(schema) || schema.type === 'array', true);
    assert.equal(bodies.length, 15);
  });

  test('our own checks go on finding a member that the document does not name', () => {
    const { examples, schema } = document.paths['/v1/impact-transactions'].post.responses[201].content['application/json'];
    const { value } = Object.values<Json>(examples)[0];
    const more = { ...value, contribution: { ...value.contribution, more: 1 } };
    assert.deepEqual([listMisfits(schema, value), listMisfits(schema, { ...value, more: 1 }) === ''], ['', false]);
    assert.notEqual(listMisfits(schema, more), '');
  });

  test('points and other int64 have the largest int64 as maximum, in all its digits', () => {
    assert.equal(
      count(published, ({ format, maximum }) => format === 'int64' && maximum === undefined),
      0,
    );
    assert.ok(/"points": \{[^}]*"maximum": 9223372036854775807\b/.test(writtenDocument));
    assert.ok(!/9223372036854776000/.test(writtenDocument));
  });

  test('every id in a path has its length and its characters; the list has its number of elements', () => {
    for (const { parameters = [] } of all)
      for (const parameter of parameters.filter((each: Json) => each.in === 'path')) {
        const { pattern, minLength, maxLength } = parameter.schema;
        assert.deepEqual([pattern, minLength > 0, maxLength], ['^[A-Za-z0-9._:-]+$', true, 128], parameter.name);
      }
    const list = published.paths['/v1/settlements/{settlement_id}/reconciliations'].post.requestBody;
    assert.equal(list.content['application/json'].schema.maxItems, 1_000_000);
  });

  test('the address is the one that the partner was given', () => {
    const [{ url, variables }] = published.servers;
    assert.deepEqual([url, variables.base_url.default], ['{base_url}', 'http://127.0.0.1:8080']);
  });
});

describe('it can be read by a newcomer', () => {
  for (const operation of operations) {
    test(`${operation.operationId} has a description, and an example for every outcome`, () => {
      assert.ok(operation.summary && operation.description);
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        assert.ok(response.headers['X-Correlation-ID'], `${status}`);
        assert.equal(response.content === undefined, status === '304', `${status}: a 304 alone has no body`);
        const [media] = Object.values<Json>(response.content ?? {});
        if (media && status !== 'default') assert.ok(Object.keys(media.examples).length > 0, `${status}`);
      }
    });
  }

  test('every example fits the schema that it stands beside', () => {
    const media = findMedia(document);
    assert.ok(media.length > 30);
    for (const { schema, examples = {} } of media)
      for (const [name, { value }] of Object.entries<Json>(examples)) assert.equal(listMisfits(schema, value), '', name);
  });

  test('what is not found says where it is named, or what to do', () => {
    for (const { operationId, responses } of operations)
      for (const { value } of Object.values<Json>(responses[404]?.content['application/json'].examples ?? {})) {
        const { message, details = [] } = value.error;
        const hasNext = /[.;] [A-Z\w]/.test(message) || details.some(({ field }: Json) => field === 'next_action');
        assert.ok(hasNext, `${operationId}: ${message}`);
      }
  });

  test('every error code has an example', () => {
    const shown = operations.flatMap((operation) =>
      Object.values<Json>(operation.responses).flatMap((response) =>
        Object.keys(response.content?.['application/json']?.examples ?? {}),
      ),
    );
    assert.deepEqual(
      ERROR_CODE_NAMES.filter((code) => !shown.includes(code)),
      [],
    );
  });
});

describe('webhooks (decisions, section 7)', () => {
  const kinds: [string, Json][] = Object.entries<Json>(document.webhooks).map(([kind, { post }]) => [kind, post]);

  const ANSWERS: Record<string, string[]> = { [VERIFICATION_TYPE]: ['200', 'default'], [TEST_TYPE]: ['2XX', '410', 'default'] };

  test('the five kinds of the interface, the challenge and the test', () => {
    assert.deepEqual(
      kinds.map(([kind]) => kind),
      [...EVENT_TYPES, VERIFICATION_TYPE, TEST_TYPE],
    );
  });

  test('each change of impact.transaction.adjusted has an example, and `failed` alone restores points', () => {
    const { examples } = document.webhooks['impact.transaction.adjusted'].post.requestBody.content['application/json'];
    assert.deepEqual(
      Object.values<Json>(examples).map(({ value }) => [value.data.change, value.data.point_restoration_authorized]),
      [
        ['associated', undefined],
        ['failed', true],
        ['adjustment', false],
      ],
    );
  });

  test('each example says what caused the event, as every event that the service records does', () => {
    const values = kinds.flatMap(([, { requestBody }]) =>
      Object.values<Json>(requestBody.content['application/json'].examples).map(({ value }) => value),
    );
    assert.deepEqual(
      values.filter(({ correlation_id }) => correlation_id === null),
      [],
    );
  });

  for (const [kind, { parameters, requestBody, responses, security }] of kinds) {
    test(`${kind}: a kind's examples are its own and fit no other, with the headers that are sent`, () => {
      const media = requestBody.content['application/json'];
      const values = Object.values<Json>(media.examples).map(({ value }) => value);
      assert.ok(values.length > 0);
      for (const value of values) {
        const fitting = kinds.filter(([, other]) => !listMisfits(other.requestBody.content['application/json'].schema, value));
        assert.deepEqual(
          fitting.map(([name]) => name),
          [kind],
        );
        assert.equal(
          listMisfits(document.components.schemas.Event, value) === '',
          (EVENT_TYPES as readonly string[]).includes(kind),
        );
        assert.notEqual(listMisfits(media.schema, { ...value, more: 1 }), '');
      }
      const described = parameters.map(({ $ref }: Json) => document.components.parameters[$ref.split('/').at(-1)].name);
      assert.deepEqual(described, Object.keys(signAttempt(SECRETS, ATTEMPT)));
      assert.deepEqual(security, []);
      assert.deepEqual(Object.keys(responses).sort(), ANSWERS[kind] ?? ['2XX', '410', '429', '503', 'default']);
    });
  }
});

const SECRETS = { current: 'whsec_b25l', next: 'whsec_dHdv' };
const ATTEMPT = {
  eventId: 'evt_x',
  eventType: 'settlement.closed',
  deliveryId: 'dlv_x',
  attemptNumber: 1,
  correlationId: 'corr_x',
  sentAtSeconds: 1_767_225_600,
  body: Buffer.from('{}'),
};

/** Everything that has a schema and examples, wherever it stands. */
function findMedia(value: Json): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.hasOwn(value, 'application/json') ? [value['application/json']] : [];
  return [...own, ...Object.values(value).flatMap(findMedia)];
}
