/** The Postman collection and the Bruno folder: made from the document, and what they send is what the service takes. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { type ApiDocument, renderBruno, renderPostman } from '../../scripts/render-collections.ts';
import { readExactJson } from '../../src/wire/exact-json.ts';
import type { Answer, Client } from '../support/client.ts';
import { ROOT } from '../support/document-blocks.ts';
import { document, writtenDocument } from '../support/published.ts';
import { untilAllSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const source = readExactJson(writtenDocument) as ApiDocument;
const read = (path: string) => readFileSync(join(ROOT, 'openapi', path), 'utf8');
const operationIds = Object.values<object>(document.paths)
  .flatMap((operations) => Object.values<{ operationId: string }>(operations as never))
  .map(({ operationId }) => operationId);

/** What a program sends when nobody changes anything but the address and the key. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** What the programs know before the first answer, or what they kept of the answers so far. */
type Variables = Map<string, string>;

function insert(text: string, variables: Variables): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_whole, name) => variables.get(name) ?? assert.fail(`nothing sets ${name}`));
}

function readPostmanVariables(): Variables {
  const { variable } = JSON.parse(read('postman.json'));
  return new Map(variable.map(({ key, value }: { key: string; value: string }) => [key, value]));
}

function readPostman(variables = readPostmanVariables()): Map<string, Sent> {
  const { item: folders } = JSON.parse(insert(read('postman.json'), new Map([...variables, ['base_url', ''], ['api_key', '']])));
  const sent = new Map<string, Sent>();
  for (const { name, request } of folders.flatMap(({ item }: { item: object[] }) => item)) {
    const headers = request.header.filter(({ disabled }: { disabled?: boolean }) => !disabled);
    let path: string = request.url.raw;
    for (const { key, value } of request.url.variable) path = path.replace(`:${key}`, value);
    sent.set(name, {
      method: request.method,
      path,
      headers: Object.fromEntries(headers.map(({ key, value }: { key: string; value: string }) => [key, value])),
      body: request.body?.raw,
    });
  }
  return sent;
}

function readBrunoVariables(): Variables {
  const [, lines = ''] = /^vars \{\n([\s\S]*?)^\}$/m.exec(read('bruno/environments/sandbox.bru')) ?? [];
  return new Map([...lines.matchAll(/^ {2}(\w+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** Folder by folder, as both say with `seq`. */
function inBrunoOrder(): string[] {
  const seqOf = (file: string) => Number(/^ {2}seq: (\d+)$/m.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1]);
  const placed = globSync('openapi/bruno/*/*.bru', { cwd: ROOT, exclude: ['**/folder.bru', '**/environments/**'] }).map(
    (file) => ({
      file,
      seq: [seqOf(join(dirname(file), 'folder.bru')), seqOf(file)] as const,
    }),
  );
  return placed.toSorted((a, b) => a.seq[0] - b.seq[0] || a.seq[1] - b.seq[1]).map(({ file }) => file);
}

function readBruno(variables = readBrunoVariables()): Map<string, Sent> {
  const known = new Map([...variables, ['base_url', ''], ['api_key', '(a key)']]);
  const sent = new Map<string, Sent>();
  for (const file of inBrunoOrder()) {
    const text = insert(readFileSync(join(ROOT, file), 'utf8'), known);
    const blocks = new Map(
      [...text.matchAll(/^([a-z:]+) \{\n([\s\S]*?)^\}$/gm)].map(([, name = '', lines = '']) => [name, lines]),
    );
    const pairs = (name: string) =>
      [...(blocks.get(name) ?? '').matchAll(/^ {2}([^~\s][^:]*): ?(.*)$/gm)].map(
        ([, key = '', value = '']) => [key, value] as const,
      );
    const method = [...blocks.keys()].find((name) => ['get', 'post', 'patch', 'delete'].includes(name)) ?? '';
    let path = new Map(pairs(method)).get('url') ?? '';
    for (const [key, value] of pairs('params:path')) path = path.replace(`:${key}`, value);
    const { 'X-API-Key': key, ...headers } = Object.fromEntries(pairs('headers'));
    assert.equal(key, '(a key)');
    const body = blocks.get('body:json') ?? blocks.get('body:text');
    sent.set(new Map(pairs('meta')).get('name') ?? '', {
      method: method.toUpperCase(),
      path,
      headers,
      body: body?.replace(/^ {2}/gm, '').trimEnd(),
    });
  }
  return sent;
}

/** Runs the script of the collection as Postman does after an answer. */
function keepByPostman(variables: Variables, status: number, answer: object): void {
  const { event } = JSON.parse(read('postman.json'));
  const pm = {
    response: { code: status, headers: new Headers({ 'content-type': 'application/json' }), json: () => answer },
    collectionVariables: { set: (name: string, value: string) => variables.set(name, value) },
  };
  runInNewContext(event[0].script.exec.join('\n'), { pm });
}

/** Runs the script of the folder as Bruno does after an answer. */
function keepByBruno(variables: Variables, status: number, answer: object): void {
  const [, script = ''] = /^script:post-response \{\n([\s\S]*?)^\}$/m.exec(read('bruno/collection.bru')) ?? [];
  const res = { getStatus: () => status, getBody: () => answer };
  runInNewContext(script, { res, bru: { setVar: (name: string, value: string) => variables.set(name, value) } });
}

/** What a partner who has sent nothing before may not do yet; everything else is taken, because of what the requests before it made. */
const REFUSED: Readonly<Record<string, readonly [status: number, because: RegExp]>> = {
  resendDelivery: [404, /You have no delivery/],
  resolveSandboxContribution: [400, /only a pending one/],
  expireSandboxEstimate: [400, /is linked with a contribution/],
  sendSandboxEvent: [400, /You have no active webhook endpoint/],
};

const PROGRAMS = {
  Postman: { variables: readPostmanVariables, requests: readPostman, keep: keepByPostman },
  Bruno: { variables: readBrunoVariables, requests: readBruno, keep: keepByBruno },
};
for (const [program, { variables: readVariables, requests, keep }] of Object.entries(PROGRAMS)) {
  test(`${program} runs all requests in their order, each with the ids of the answers before`, async () => {
    const service = await testService({ env: WEBHOOK_ENV });
    const { client, partner } = await service.newPartner({ key: { permission: 'manage' } });
    const variables = readVariables().set('receiver_url', (await WebhookReceiver.open()).url);
    for (const operation of requests().keys()) {
      // The events of the requests before it are numbered before there is an endpoint: it is to have no delivery yet.
      if (operation === 'createWebhookEndpoint') await untilAllSequenced(service.database, partner.partnerId);
      const answer = await send(client, requests(variables).get(operation) ?? assert.fail(operation));
      const [status, because] = REFUSED[operation] ?? [undefined, /^/];
      assert.ok(status ? answer.status === status : answer.status < 300, `${operation}: ${answer.status} ${answer.text}`);
      assert.match(answer.text, because, operation);
      if (answer.body) keep(variables, answer.status, answer.body);
    }
  });

  test(`${program} changes and removes no endpoint that only a list named`, () => {
    const variables = readVariables();
    const before = variables.get('endpoint_id');
    keep(variables, 200, { webhook_endpoints: [{ endpoint_id: 'wep_of_the_shop' }] });
    assert.equal(variables.get('endpoint_id'), before);
    keep(variables, 201, { webhook_endpoint: { endpoint_id: 'wep_of_its_own' } });
    assert.equal(variables.get('endpoint_id'), 'wep_of_its_own');
  });
}

function send(client: Client, { method, path, headers: named, body }: Sent): Promise<Answer> {
  const headers = Object.fromEntries(Object.entries(named).map(([key, value]) => [key.toLowerCase(), value]));
  return client.call(path, { method, headers, ...(body !== undefined && { body }) });
}

test('they are what the document makes', () => {
  assert.equal(read('postman.json'), renderPostman(source), 'run `npm run collections`');
  const files = renderBruno(source);
  for (const [path, text] of files) assert.equal(read(`bruno/${path}`), text, path);
  assert.equal(globSync('openapi/bruno/**/*.{bru,json}', { cwd: ROOT }).length, files.size);
});

describe('both', async () => {
  const [postman, bruno] = [readPostman(), readBruno()];

  test('have every operation once, and send the same', () => {
    assert.deepEqual([...postman.keys()].sort(), operationIds.toSorted());
    for (const [name, sent] of postman)
      assert.deepEqual({ ...bruno.get(name), body: bruno.get(name)?.body }, { ...sent, body: sent.body?.trimEnd() }, name);
  });

  test('a point amount of 64 bits in an example keeps its digits', () => {
    const large = JSON.parse(JSON.stringify(source).replace(/"points":250(?=[,}])/, '"points":250'));
    large.paths['/v1/impact-transactions'].post.requestBody.content['application/json'].examples.plain.value.points =
      JSON.rawJSON('9223372036854775807');
    assert.ok(renderPostman(large).includes('9223372036854775807'));
    assert.ok(renderBruno(large).get('Contributions/confirmContribution.bru')?.includes('9223372036854775807'));
  });

  test('what they send is taken by the service, without a change', async () => {
    const service = await testService();
    const { client } = await service.newPartner({ key: { permission: 'manage' } });
    const statuses: Record<string, number> = {};
    for (const [name, sent] of postman) {
      // A server on the network would be asked.
      if (name === 'createWebhookEndpoint') continue;
      const answer = await send(client, sent);
      statuses[name] = answer.status;
      const problems = (answer.body?.error?.details ?? []).map(({ code }: { code: string }) => code);
      for (const code of [
        'wrong_type',
        'wrong_form',
        'missing',
        'unknown_field',
        'invalid_json',
        'invalid_characters',
        'too_short',
      ])
        assert.ok(!problems.includes(code), `${name}: ${answer.text}`);
      assert.ok(![405, 415, 500, 503].includes(answer.status), `${name}: ${answer.text}`);
      assert.ok(!/no such path/.test(answer.text), name);
    }
    const taken = ['confirmContribution', 'createDeliveryEmissionsEstimate', 'advanceSandboxClock', 'closeSandboxSettlement'];
    for (const name of taken) assert.equal(statuses[name], 201, name);
    const read = ['getContributionByPartnerEventId', 'listEvents', 'listSettlements', 'getPartner', 'getSandboxReadiness'];
    for (const name of [...read, 'listEmissionFactors', 'listWebhookEndpoints']) assert.equal(statuses[name], 200, name);
  });
});
