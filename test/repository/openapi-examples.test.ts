/** The examples of the document as requests, against a partner that is new; and the headers that answers have. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, newConfirmation, uniqueId } from '../support/client.ts';
import { writtenDocument } from '../support/published.ts';
import { testService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is read as the JSON that it is
type Json = any;

const service = await testService();
const { client } = await service.newPartner({ key: { permission: 'manage' } });
const document: Json = JSON.parse(writtenDocument);

interface Example {
  readonly operationId: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Json;
  readonly responses: Json;
}

/** One for each example body of each operation, with every required parameter as its example has it. */
const examples: readonly Example[] = Object.entries<Json>(document.paths).flatMap(([template, methods]) =>
  Object.entries<Json>(methods).flatMap(([method, { operationId, parameters, requestBody, responses }]) => {
    const [[mediaType, media] = ['', {}]] = Object.entries<Json>(requestBody?.content ?? {});
    const bodies = Object.entries<Json>(media.examples ?? { none: { value: undefined } });
    return bodies.map(([name, { value: body }]) => {
      const required = parameters.filter((parameter: Json) => parameter.required);
      const exampleOf = (parameter: Json) =>
        parameter.example ?? parameter.examples?.[name]?.value ?? `no example of ${parameter.name}`;
      const placed = (place: string) => required.filter((parameter: Json) => parameter.in === place);
      const query = placed('query').map((parameter: Json) => `${parameter.name}=${exampleOf(parameter)}`);
      const path = placed('path').reduce(
        (text: string, parameter: Json) => text.replace(`{${parameter.name}}`, exampleOf(parameter)),
        template,
      );
      const headers = Object.fromEntries(placed('header').map((parameter: Json) => [parameter.name, exampleOf(parameter)]));
      return {
        operationId,
        name,
        method: method.toUpperCase(),
        body,
        responses,
        path: [path, ...query].join('?'),
        headers: { ...headers, ...(mediaType && { 'content-type': mediaType }) },
      };
    });
  }),
);

const send = ({ path, method, headers, body }: Example): Promise<Answer> =>
  client.call(path, { method, headers, ...(body !== undefined && { body }) });

/** Of HTTP itself, and not the interface's. */
const OF_HTTP = ['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'transfer-encoding', 'vary'];

function assertHeaders({ operationId, responses }: Example, { status, headers }: Answer): void {
  const described = Object.keys((responses[status] ?? responses.default).headers).map((name) => name.toLowerCase());
  const sent = [...headers.keys()].filter((name) => !OF_HTTP.includes(name));
  assert.deepEqual(
    sent.filter((name) => !described.includes(name)),
    [],
    `${operationId} ${status}`,
  );
}

/** What names a record by an id that only the service gives: nobody can have the example's. */
const NEEDS_A_RECORD = /\{(?:transaction|calculation|event|settlement|reconciliation|impact_batch|endpoint|delivery)_id\}/;
/** The same of a body, or an endpoint with a receiver at the example's address: the status that says so. */
const BODY_NEEDS: Readonly<Record<string, string>> = {
  createWebhookEndpoint: '400',
  sendSandboxEvent: '400',
  postSandboxAdjustment: '404',
  makeSandboxImpactBatch: '404',
};

describe('every example can be sent', () => {
  for (const example of examples) {
    const { operationId, name, path, responses } = example;
    test(`${operationId}, ${name}`, async () => {
      assert.doesNotMatch(path + JSON.stringify(example.headers), /no example/);
      const template = Object.keys(document.paths).find((each) =>
        Object.values<Json>(document.paths[each]).some((operation) => operation.operationId === operationId),
      ) as string;
      const answer = await send(example);
      assertHeaders(example, answer);
      const usual = BODY_NEEDS[operationId] ?? Object.keys(responses)[0];
      const expected = NEEDS_A_RECORD.test(template) ? '404' : usual;
      assert.equal(String(answer.status), expected, answer.text);
      assert.ok(String(answer.status) in responses, `${answer.status} is in the document`);
      const again = await send(example);
      assertHeaders(example, again);
      assert.equal(again.status, answer.status);
    });
  }
});

test('the headers of refusals are described too', async () => {
  const [confirmation] = examples.filter(({ operationId }) => operationId === 'confirmContribution') as [Example];
  const { apiKey } = client;
  for (const [change, status] of [
    [{ headers: { ...confirmation.headers, 'x-api-key': 'none' } }, 401],
    [{ method: 'DELETE' }, 405],
    [{ body: { points: 0 } }, 400],
    [{ headers: { ...confirmation.headers, 'content-type': 'text/plain' } }, 415],
  ] as const) {
    const answer = await send({ ...confirmation, ...change, headers: { 'x-api-key': apiKey, ...(change as Json).headers } });
    assert.equal(answer.status, status, answer.text);
    assertHeaders(confirmation, answer);
  }
});

test('a final failure has all headers that are described for it: of a confirmation, and of an association', async () => {
  const [confirmation] = examples.filter(({ operationId }) => operationId === 'confirmContribution') as [Example];
  const [association] = examples.filter(({ operationId }) => operationId === 'associateEmissionsEstimate') as [Example];
  const failing = {
    ...confirmation,
    headers: { ...confirmation.headers, 'Idempotency-Key': uniqueId('key'), 'x-sandbox-scenario': 'failed' },
    body: newConfirmation(),
  };
  await send(failing);
  const failed = await send(failing);
  assert.equal(failed.status, 422, failed.text);
  const { code: transactionId } = failed.body.error.details.find(({ field }: Json) => field === 'transaction_id');
  const path = association.path.replace(/[^/]+(?=\/emissions-associations)/, transactionId);
  for (const [{ operationId, responses }, { status, headers }] of [
    [confirmation, failed],
    [association, await send({ ...association, path })],
  ] as const) {
    assert.equal(status, 422);
    const lacks = Object.keys(responses[422].headers).filter((name) => !headers.has(name));
    assert.deepEqual(lacks, [], operationId);
  }
});
