/** Every response has X-Correlation-ID and the envelope, those that Node would write itself included. Interface, "What the service does", 9. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { document } from '../support/published.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, key } = await service.newPartner();
const { port } = new URL(service.baseUrl);

/** Sends bytes as they are, and gives everything that comes back until the connection ends. */
async function sendRaw(...chunks: string[]): Promise<string> {
  const { socket, received } = receive();
  await once(socket, 'connect');
  for (const chunk of chunks) socket.write(chunk);
  await once(socket, 'close');
  return received();
}

/** The same from a client that ends its side of the connection behind them. */
async function sendAndEnd(bytes: string): Promise<string> {
  const { socket, received } = receive();
  socket.end(bytes);
  await once(socket, 'close');
  return received();
}

function receive() {
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => (text += part));
  socket.on('error', () => {}).on('end', () => socket.end());
  return { socket, received: () => text };
}

function parse(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, error: JSON.parse(body).error };
}

function assertEnvelope(raw: string, status: number): void {
  const answer = parse(raw);
  assert.equal(answer.status, status, raw);
  assert.equal(answer.error.code, 'invalid_request');
  assert.match(answer.headers.get('x-correlation-id') ?? '', /^[A-Za-z0-9._:-]{8,128}$/);
  assert.equal(answer.error.correlation_id, answer.headers.get('x-correlation-id'));
  assert.equal(answer.headers.get('cache-control'), 'no-store');
}

const HOST = 'Host: service\r\n';
const KEY = `X-API-Key: ${key.apiKey}\r\n`;
const CLOSE = 'Connection: close\r\n\r\n';

test(
  'a body of no chunk is none where no body is expected, whatever its media type, and the first chunk of another is read',
  HANG_LIMIT,
  async () => {
    const chunked = (type: string, ...chunks: string[]) => {
      const head = `POST /v1/sandbox/settlements/close HTTP/1.1\r\n${HOST}${KEY}Idempotency-Key: ${uniqueId('key')}\r\n${type}`;
      return sendRaw(`${head}Transfer-Encoding: chunked\r\n${CLOSE}`, ...chunks);
    };
    const atOnce = `POST /v1/sandbox/settlements/close HTTP/1.1\r\n${HOST}${KEY}Idempotency-Key: ${uniqueId('key')}\r\n`;
    await client.confirm();
    const json = 'Content-Type: application/json\r\n';
    for (const type of ['', json, 'Content-Type: text/plain\r\n'])
      assert.equal(parse(await chunked(type, '0\r\n\r\n')).status, 201, type);
    assert.equal(parse(await sendRaw(`${atOnce}Transfer-Encoding: chunked\r\n${CLOSE}0\r\n\r\n`)).status, 201);
    assert.equal(parse(await chunked(json, '1\r\n{\r\n', '1\r\n}\r\n', '0\r\n\r\n')).status, 201);
    const member = parse(await chunked(json, '1\r\n{\r\n', '6\r\n"a":1}\r\n', '0\r\n\r\n'));
    assert.deepEqual([member.status, member.error.details[0].code], [400, 'unknown_field']);
    assert.equal(parse(await chunked('', '2\r\n{}\r\n0\r\n\r\n')).status, 415);
  },
);

describe('what Node refuses by itself', () => {
  const cases: [string, number, string][] = [
    ['a request line that is none', 400, 'HELLO\r\n\r\n'],
    ['an unknown method', 400, `BREW / HTTP/1.1\r\n${HOST}\r\n`],
    ['a wrong version', 400, `GET / HTTP/9.9\r\n${HOST}\r\n`],
    ['a header without a colon', 400, `GET / HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`],
    ['header fields of over 16 KiB', 431, `GET / HTTP/1.1\r\n${HOST}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', 400, `POST /v1/impact-transactions HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    [
      'length and chunks',
      400,
      `POST /v1/impact-transactions HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
    ['an unknown expectation', 417, `GET /v1/impact-transactions HTTP/1.1\r\n${HOST}Expect: miracles\r\n${CLOSE}`],
    ['CONNECT', 405, `CONNECT service:443 HTTP/1.1\r\n${HOST}\r\n`],
    ['no Host', 400, `GET /v1/impact-transactions HTTP/1.1\r\n${CLOSE}`],
    ['two Host headers', 400, `GET /v1/events HTTP/1.1\r\n${HOST}${KEY}hOST: elsewhere\r\n\r\n`],
    ['HTTP/2.0 in the request line', 400, `GET /v1/events HTTP/2.0\r\n${HOST}${KEY}\r\n`],
    ['HTTP/0.9 in the request line', 400, `GET /v1/events HTTP/0.9\r\n${HOST}${KEY}\r\n`],
    [
      'HTTP/1.0 with chunks',
      400,
      `GET /v1/events HTTP/1.0\r\n${HOST}${KEY}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
  ];
  for (const [title, status, request] of cases) {
    test(`${title}: ${status} with envelope and header`, async () => assertEnvelope(await sendRaw(request), status));
  }

  test('more than 1,000 header fields of few bytes: 431, and the sentence says so', async () => {
    const raw = await sendRaw(`GET / HTTP/1.1\r\n${HOST}${'a:b\r\n'.repeat(1_000)}\r\n`);
    assertEnvelope(raw, 431);
    assert.equal(parse(raw).error.message, 'The header fields are larger than 16 KiB, or more than 1,000.');
  });

  test('a chunk that is none, in the middle of a body', async () => {
    const head = `POST /v1/impact-transactions HTTP/1.1\r\n${HOST}${KEY}Idempotency-Key: chunked-1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    assertEnvelope(await sendRaw(head, 'zz\r\nnonsense\r\n'), 400);
  });

  test('HTTP/1.0 with chunks stores nothing of a whole confirmation', async () => {
    const fields = newConfirmation();
    const body = JSON.stringify(fields);
    const head = `POST /v1/impact-transactions HTTP/1.0\r\n${HOST}${KEY}Idempotency-Key: ${uniqueId('key')}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    assertEnvelope(await sendRaw(`${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`), 400);
    assert.equal((await client.findByEvent(fields.partner_event_id)).status, 404);
  });

  test('a confirmation with more bytes than it declares is answered, once, and its connection closed', async () => {
    const confirm = (body: string, length: number) =>
      sendRaw(
        `POST /v1/impact-transactions HTTP/1.1\r\n${HOST}${KEY}Idempotency-Key: ${uniqueId('key')}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
      );
    const fields = newConfirmation();
    const body = JSON.stringify(fields);
    for (const more of ['xyz', '\x00\x01garbage\r\n\r\n', 'GET HTTP\r\n\r\n'.repeat(5_000)]) {
      const whole = { ...fields, partner_event_id: uniqueId('event'), partner_order_ref: uniqueId('order') };
      const text = JSON.stringify(whole);
      const received = await confirm(`${text}${more}`, text.length);
      assert.match(received, /^HTTP\/1\.1 201 /);
      assert.match(received, /^connection: close\r$/im);
      assert.equal(received.split('HTTP/1.1 ').length, 2, 'one answer');
      assert.equal((await client.findByEvent(whole.partner_event_id)).status, 200);
    }
    for (const missing of [1, 2, 5]) assertEnvelope(await confirm(body, body.length - missing), 400);
    assertEnvelope(await confirm(body, 0), 400);
    assert.equal((await client.findByEvent(fields.partner_event_id)).status, 404);
  });

  test('a body without a length is refused in words', async () => {
    const head = `POST /v1/impact-transactions HTTP/1.1\r\n${HOST}${KEY}Idempotency-Key: ${uniqueId('key')}\r\nContent-Type: application/json\r\n\r\n`;
    assertEnvelope(await sendRaw(`${head}${JSON.stringify(newConfirmation())}`), 400);
  });

  for (const [method, path, type] of [
    ['POST', '/v1/impact-transactions', 'application/json'],
    ['POST', '/v1/emissions/estimates', 'application/json'],
    ['POST', `/v1/settlements/stl_${'0'.repeat(26)}/reconciliations`, 'text/csv'],
    ['PATCH', `/v1/webhook-endpoints/wep_${'0'.repeat(26)}`, 'application/json'],
    ['DELETE', `/v1/webhook-endpoints/wep_${'0'.repeat(26)}`, 'application/json'],
  ] as const)
    test(`${method} ${path} that announces no body is answered at once`, async () => {
      const head = `${method} ${path} HTTP/1.1\r\n${HOST}${KEY}Idempotency-Key: ${uniqueId('key')}\r\nContent-Type: ${type}\r\n${CLOSE}`;
      const { status, error } = parse(await sendRaw(head));
      assert.ok(status >= 400 && status < 500, `${status}`);
      assert.equal(typeof error.code, 'string');
    });

  test('HTTP/1.0 without Host is served', async () => {
    const received = await sendRaw(`GET /v1/impact-transactions?partner_event_id=event-of-nobody HTTP/1.0\r\n${KEY}\r\n`);
    assert.match(received, /^HTTP\/1\.1 404 /);
  });
});

describe('a client that ends its side of the connection after its request', () => {
  const head = (length: number) =>
    `POST /v1/impact-transactions HTTP/1.1\r\n${HOST}${KEY}Idempotency-Key: ${uniqueId('key')}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  test('gets the answer, and then the end of the connection', async () => {
    const body = JSON.stringify(newConfirmation());
    assert.match(await sendAndEnd(`${head(body.length)}${body}`), /^HTTP\/1\.1 201 /);
    assert.match(await sendAndEnd(`GET /v1/partner HTTP/1.1\r\n${HOST}${KEY}\r\n`), /^HTTP\/1\.1 200 /);
  });

  test('gets the answers to all requests that it sent', async () => {
    const requests = Array.from({ length: 3 }, () => JSON.stringify(newConfirmation()));
    const received = await sendAndEnd(requests.map((body) => `${head(body.length)}${body}`).join(''));
    assert.equal(received.split('HTTP/1.1 201 ').length - 1, 3, received);
  });

  test('has nothing stored of a request that is not whole', async () => {
    const fields = newConfirmation();
    const body = JSON.stringify(fields);
    assertEnvelope(await sendAndEnd(`${head(body.length + 1)}${body}`), 400);
    assert.equal((await client.findByEvent(fields.partner_event_id)).status, 404);
  });

  test('gets the end of the connection when it sent no request', async () => assert.equal(await sendAndEnd(''), ''));
});

describe('X-Correlation-ID', () => {
  test('a well-formed one is returned, of 8 and of 128 characters', async () => {
    for (const id of ['corr-008', 'c'.repeat(128)]) {
      const answer = await client.call('/v1/impact-transactions?partner_event_id=event-of-nobody', {
        headers: { 'x-correlation-id': id },
      });
      assert.equal(answer.headers.get('x-correlation-id'), id);
      assert.equal(answer.body.error.correlation_id, id);
    }
  });

  test('an ill-formed one is invalid_request, comes before everything else, and is never echoed', async () => {
    for (const id of ['corr-07', 'c'.repeat(129), 'with blank in it', 'corr@example.com']) {
      const answer = await client.call('/nowhere', { headers: { 'x-correlation-id': id, 'x-api-key': 'wrong' } });
      assertError(answer, 'invalid_request');
      assert.notEqual(answer.headers.get('x-correlation-id'), id);
      assert.ok(!answer.text.includes(id));
    }
  });

  test('without one the service makes a new one each time', async () => {
    const [first, second] = [await client.findByEvent('event-of-nobody'), await client.findByEvent('event-of-nobody')];
    assert.notEqual(first.headers.get('x-correlation-id'), second.headers.get('x-correlation-id'));
  });
});

describe('routes and methods come before authentication', () => {
  test('an unknown path is 404 invalid_request', async () => {
    for (const path of ['/', '/v1', '/v2/impact-transactions', '/v1/impact-transactions/txn_x/other']) {
      const answer = await client.call(path, { headers: { 'x-api-key': '' } });
      assertError(answer, 'invalid_request', 404);
    }
  });

  test('a path with a slash at its end is 404, which says to leave it out', async () => {
    const paths = ['/v1/impact-transactions/', '/v1/impact-transactions/?partner_event_id=event-1', '/v1/settlements/'];
    for (const path of paths) {
      for (const method of ['GET', 'POST']) {
        const answer = await client.call(path, { method });
        assertError(answer, 'invalid_request', 404);
        assert.match(
          answer.text,
          /No path of the interface ends with a slash: send the request without it\./,
          `${method} ${path}`,
        );
      }
    }
  });

  test('a path behind something else, or without /v1, is 404, which says how the base address ends', async () => {
    for (const before of ['//v1', '/docs/v1', '/v1/v1', '/api/v1', '/docs//v1', '', '/V1', '/v2', '/api/v2']) {
      for (const method of ['GET', 'POST', 'PUT']) {
        const answer = parse(
          await sendRaw(`${method} ${before}/impact-transactions?partner_event_id=event-1 HTTP/1.1\r\n${HOST}${CLOSE}`),
        );
        assert.deepEqual([answer.status, answer.error.code], [404, 'invalid_request'], `${method} ${before}`);
        assert.match(
          answer.error.message,
          /begins with \/v1: the base address has no slash, \/v1 or \/docs at its end\.$/,
          before,
        );
      }
    }
    const ofAnother = parse(await sendRaw(`GET /nowhere?next=/x/v1/y HTTP/1.1\r\n${HOST}${CLOSE}`));
    assert.doesNotMatch(ofAnother.error.message, /base address/);
  });

  test('a wrong method is 405 with Allow', async () => {
    const paths: [string, string][] = [
      ['/v1/impact-transactions', 'GET, HEAD, POST'],
      ['/v1/impact-transactions/txn_x', 'GET, HEAD'],
      ['/v1/emissions/estimates', 'POST'],
      ['/v1/emissions/estimates/calc_x', 'GET, HEAD'],
      ['/v1/impact-transactions/txn_x/emissions-associations', 'POST'],
      ['/v1/events', 'GET, HEAD'],
      ['/v1/events/evt_x', 'GET, HEAD'],
    ];
    for (const [path, allow] of paths) {
      for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
        const answer = await client.call(path, { method, headers: { 'x-api-key': '' } });
        assert.deepEqual(
          [answer.status, answer.headers.get('allow'), answer.body.error.code],
          [405, allow, 'invalid_request'],
          `${method} ${path}`,
        );
      }
    }
  });
});

describe('a query that no operation has', () => {
  /** Their points are deducted already: a member that was always ignored refuses none of them. */
  const OF_CONTRIBUTIONS = ['confirmContribution', 'createDeliveryEmissionsEstimate', 'associateEmissionsEstimate'];
  const managing = service.newPartner({ key: { permission: 'manage' } });
  const writes = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { operationId }]) => method !== 'get' && !OF_CONTRIBUTIONS.includes(operationId))
      .map(([method, { operationId }]) => ({ method: method.toUpperCase(), path, operationId })),
  );

  for (const { method, path, operationId } of writes)
    test(`${operationId} refuses it, and does nothing`, async () => {
      const target = path.replaceAll(/\{(\w+)\}/g, 'abcdefghijkl');
      const { client: manager } = await managing;
      const body = method === 'DELETE' ? {} : { body: {} };
      const answer = await manager.call(`${target}?step=activate`, { method, ...body });
      assertError(answer, 'invalid_request', 400);
      assert.equal(detailCodes(answer)['step'], 'unknown_field', answer.text);
    });
});

describe('a target that names a route in another form', () => {
  const forms = (path: string) => [
    path,
    path.replace('impact-transactions', 'impact%2Dtransactions'),
    path.replace('/v1', '/%76%31'),
    `http://service${path}`,
    `HTTPS://elsewhere:443${path}`,
    `${path}#fragment`,
  ];

  test('is served like the route', async () => {
    const { contribution } = (await client.confirm()).body;
    for (const target of forms(`/v1/impact-transactions/${contribution.transaction_id}`))
      assert.match(await sendRaw(`GET ${target} HTTP/1.1\r\n${HOST}${KEY}${CLOSE}`), /^HTTP\/1\.1 200 /, target);
  });

  test('is refused like the route', async () => {
    for (const target of forms('/v1/impact-transactions')) {
      const raw = await sendRaw(`PUT ${target} HTTP/1.1\r\n${HOST}${CLOSE}`);
      assertEnvelope(raw, 405);
      assert.equal(parse(raw).error.details[0].code, 'not_authorized', target);
    }
  });

  test('with an escape that is none, or no UTF-8, has an ill-formed identifier, which is not found', async () => {
    for (const id of ['%zz', '%', 'txn_%4', '%ff', '%C3%28', 'txn_%2F%ff']) {
      const answerOf = async (target: string, key = KEY) => {
        const { status, error } = parse(await sendRaw(`GET ${target} HTTP/1.1\r\n${HOST}${key}${CLOSE}`));
        return [status, error.code];
      };
      assert.deepEqual(await answerOf(`/v1/impact-transactions/${id}`), [404, 'contribution_not_found'], id);
      assert.deepEqual(await answerOf(`/v1/emissions/estimates/${id}`), [404, 'estimate_not_found'], id);
      // Whoever has no key learns nothing of the path.
      assert.deepEqual(await answerOf(`/v1/impact-transactions/${id}`, ''), [401, 'unauthorized'], id);
    }
  });

  test('has its query as it was sent', async () => {
    const { partner_event_id: id } = (await client.confirm()).body.contribution;
    const query = `?partner_event_id=${id.replace('event', '%65vent')}`;
    for (const target of forms('/v1/impact-transactions').slice(0, -1))
      assert.match(await sendRaw(`GET ${target}${query} HTTP/1.1\r\n${HOST}${KEY}${CLOSE}`), /^HTTP\/1\.1 200 /, target);
  });
});

describe('the recovery verdict of what reaches no operation', () => {
  const verdictOf = (raw: string): [number, string, boolean, string[]] => {
    const { status, error } = parse(raw);
    const details = (error.details ?? []).map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
    return [status, error.code, error.retryable, details];
  };
  const FIX = ['point_restoration not_authorized', 'next_action fix_request'];
  const confirm = 'POST /v1/impact-transactions HTTP/1.1\r\n';
  const length = 'Content-Type: application/json\r\nContent-Length:';
  const refused: [title: string, status: number, request: string, named?: string][] = [
    ['an unknown path', 404, `POST /v1/impact-transaction HTTP/1.1\r\n${HOST}${length} 2\r\n${CLOSE}{}`],
    ['a path without its version', 404, `POST /impact-transactions HTTP/1.1\r\n${HOST}${length} 2\r\n${CLOSE}{}`],
    ['a path behind that of the pages', 404, `POST /docs/v1/impact-transactions HTTP/1.1\r\n${HOST}${length} 2\r\n${CLOSE}{}`],
    [
      'a look-up behind the path of the pages',
      404,
      `GET /docs/v1/impact-transactions?partner_event_id=event-1 HTTP/1.1\r\n${HOST}${CLOSE}`,
    ],
    ['a look-up behind a slash', 404, `GET //v1/impact-transactions?partner_event_id=event-1 HTTP/1.1\r\n${HOST}${CLOSE}`],
    ['a look-up without its version', 404, `GET /impact-transactions?partner_event_id=event-1 HTTP/1.1\r\n${HOST}${CLOSE}`],
    ['a contribution by its id, of another version', 404, `GET /V1/impact-transactions/txn_x HTTP/1.1\r\n${HOST}${CLOSE}`],
    ['a contribution by its id, behind something else', 404, `GET /api/v2/impact-transactions/txn_x HTTP/1.1\r\n${HOST}${CLOSE}`],
    ['a look-up at any other path', 404, `GET /contributions?partner_event_id=event-1 HTTP/1.1\r\n${HOST}${CLOSE}`],
    ['an unknown path of a look-up', 404, `GET /v1/impact-transaction?partner_event_id=event-1 HTTP/1.1\r\n${HOST}${CLOSE}`],
    ['a wrong method', 405, `PUT /v1/impact-transactions HTTP/1.1\r\n${HOST}${CLOSE}`],
    ['a bad percent escape in an unknown path', 404, `POST /v1/%zz HTTP/1.1\r\n${HOST}${CLOSE}`],
    ['an unknown expectation', 417, `${confirm}${HOST}Expect: miracles\r\n${CLOSE}`, 'Expect unsupported_value'],
    ['header fields of over 16 KiB', 431, `${confirm}${HOST}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['bytes that are no HTTP', 400, `${confirm}${HOST}nonsense\r\n\r\n`],
    ['a body over 64 KiB', 413, `${confirm}${HOST}${KEY}${length} 65537\r\n${CLOSE}`, 'body too_many_bytes'],
    [
      'another media type',
      415,
      `${confirm}${HOST}${KEY}Content-Type: text/plain\r\nContent-Length: 2\r\n${CLOSE}{}`,
      'Content-Type unsupported_value',
    ],
  ];
  for (const [title, status, request, named] of refused)
    test(`${title}: ${status}, not authorized, fix_request`, async () => {
      assert.deepEqual(verdictOf(await sendRaw(request)), [
        status,
        'invalid_request',
        false,
        [...(named ? [named] : []), ...FIX],
      ]);
    });

  test('a confirmation that does not arrive whole: 408 internal_service_unavailable, retryable, look up', async () => {
    const raw = await sendRaw(`${confirm}${HOST}${KEY}Idempotency-Key: half-1234\r\n${length} 100\r\n\r\n{"partner_event_id"`);
    const unknown = ['point_restoration not_authorized', 'next_action look_up'];
    assert.deepEqual(verdictOf(raw), [408, 'internal_service_unavailable', true, unknown]);
    assert.equal(parse(raw).headers.get('retry-after'), '1');
  });

  test('errors about estimates and pages speak of no points', async () => {
    for (const request of [
      `PUT /v1/emissions/estimates HTTP/1.1\r\n${HOST}${CLOSE}`,
      `POST /v1/emissions/estimate HTTP/1.1\r\n${HOST}${CLOSE}`,
      `POST /docs/v1/emissions/estimates HTTP/1.1\r\n${HOST}${CLOSE}`,
      `POST /v1/v1/emissions/estimates HTTP/1.1\r\n${HOST}${CLOSE}`,
      `POST /emissions/estimates HTTP/1.1\r\n${HOST}${CLOSE}`,
      `POST /v2/emissions/estimates HTTP/1.1\r\n${HOST}${CLOSE}`,
      `GET /favicon.ico HTTP/1.1\r\n${HOST}${CLOSE}`,
    ])
      assert.doesNotMatch(await sendRaw(request), /point_restoration/, request);
  });
});

test('JSON is answered as UTF-8, also where it is Arabic', async () => {
  const answer = await client.confirm();
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.match(answer.text, /نقطة/);
});
