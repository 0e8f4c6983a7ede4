/** The fields of confirmContribution: interface, "Contribution", "Limits", "Errors"; decisions, section 2. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertError } from '../support/assertions/assert-error.ts';
import { assertStoresNothing } from '../support/assertions/assert-stores-nothing.ts';
import { detailCodes, newConfirmation } from '../support/client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, partner } = await service.newPartner();

test('a body that is no JSON without loss is refused as a whole, also for its calculation_id', async () => {
  const deep = `${'['.repeat(64)}${']'.repeat(64)}`;
  for (const bad of ['"\\ud83c"', deep]) {
    const { partner_event_id, partner_order_ref } = newConfirmation();
    const body = `{"partner_event_id":"${partner_event_id}","partner_order_ref":"${partner_order_ref}","points":1,"calculation_id":${bad}}`;
    const answer = await client.post('/v1/impact-transactions', body);
    assert.deepEqual([answer.status, detailCodes(answer)['body']], [400, 'invalid_json'], bad);
    assert.equal((await client.findByEvent(partner_event_id)).status, 404);
  }
});

describe('points (interface, "Contribution", field points: int64, minimum 1)', () => {
  test('9223372036854775807 comes back exactly, from confirmation, look-up and database', async () => {
    const greatest = 9_223_372_036_854_775_807n;
    const answer = await client.confirm({ points: greatest });
    assert.equal(answer.status, 201);
    assert.match(answer.text, /"points":9223372036854775807,/);
    const { transaction_id, partner_event_id } = answer.body.contribution;
    assert.match((await client.get(transaction_id)).text, /"points":9223372036854775807,/);
    assert.equal((await client.findByEvent(partner_event_id)).body.contribution.points, greatest);
    const { rows } = await service.database.pool.query('select points::text from contribution where transaction_id = $1', [
      transaction_id,
    ]);
    assert.equal(rows[0].points, '9223372036854775807');
  });

  test('2^53 + 1 is not rounded', async () => {
    assert.equal((await client.confirm({ points: 9_007_199_254_740_993n })).body.contribution.points, 9_007_199_254_740_993n);
  });

  test('100, 100.0 and 1e2 are the same integer: they replay one another', async () => {
    const { partner_event_id, partner_order_ref } = newConfirmation();
    const send = (points: string) =>
      client.post(
        '/v1/impact-transactions',
        `{"partner_event_id":"${partner_event_id}","partner_order_ref":"${partner_order_ref}","points":${points}}`,
        {
          'idempotency-key': 'one-hundred',
        },
      );
    const [first, second, third] = [await send('100'), await send('100.0'), await send('1e2')];
    assert.deepEqual([first.status, second.status, third.status], [201, 201, 201]);
    assert.equal(third.body.contribution.points, 100n);
    assert.equal(third.headers.get('idempotent-replayed'), 'true');
  });

  for (const points of [
    '0',
    '-1',
    '-0',
    '1.5',
    '"100"',
    '""',
    'null',
    'true',
    '[5]',
    '{}',
    '9223372036854775808',
    '1e400',
    '0.1e1000',
    '1e-1',
  ]) {
    test(`invalid_point_amount: ${points} is refused and nothing is stored`, () =>
      assertStoresNothing(service.database, [partner.partnerId], async () => {
        const { partner_event_id, partner_order_ref } = newConfirmation();
        const body = `{"partner_event_id":"${partner_event_id}","partner_order_ref":"${partner_order_ref}","points":${points}}`;
        const answer = await client.post('/v1/impact-transactions', body);
        assertError(answer, 'invalid_point_amount');
        assert.equal(answer.body.error.details[0].field, 'points');
        assert.equal((await client.findByEvent(partner_event_id)).status, 404);
      }));
  }

  test('invalid_request: a missing points is structural', async () => {
    const answer = await client.confirm({ points: undefined });
    assertError(answer, 'invalid_request');
    assert.equal(detailCodes(answer)['points'], 'missing');
  });
});

describe('invalid_request (interface, "Errors": syntactically invalid request or missing required fields)', () => {
  const cases: [string, object | string, Record<string, string>?][] = [
    ['no Idempotency-Key', {}, { 'idempotency-key': '' }],
    ['an Idempotency-Key of 7 characters', {}, { 'idempotency-key': 'key-007' }],
    ['an Idempotency-Key of 129 characters', {}, { 'idempotency-key': 'k'.repeat(129) }],
    ['an Idempotency-Key with a blank', {}, { 'idempotency-key': 'key with blank' }],
    ['no partner_event_id', { partner_event_id: undefined }],
    ['a partner_event_id of 7 characters', { partner_event_id: 'evt-007' }],
    ['a partner_event_id of 129 characters', { partner_event_id: 'e'.repeat(129) }],
    ['a partner_event_id with a letter outside the pattern', { partner_event_id: 'event-é-0001' }],
    ['a partner_event_id that is a number', { partner_event_id: 12345678 }],
    ['a partner_event_id that is null', { partner_event_id: null }],
    ['an empty partner_order_ref', { partner_order_ref: '' }],
    ['a partner_order_ref of 129 characters', { partner_order_ref: 'o'.repeat(129) }],
    ['no partner_order_ref', { partner_order_ref: undefined }],
    ['an opaque_customer_ref with an at sign', { opaque_customer_ref: 'someone@example.com' }],
    ['an empty opaque_customer_ref', { opaque_customer_ref: '' }],
    ['an unknown field', { points_total: 5 }],
    [
      'a __proto__ member',
      '{"__proto__":{"points":5},"partner_event_id":"event-proto","partner_order_ref":"order-proto","points":5}',
    ],
    ['a member given twice', '{"partner_event_id":"event-twice","partner_order_ref":"order-twice","points":5,"points":5}'],
    ['an array', '[]'],
    ['a string', '"text"'],
    ['null', 'null'],
    ['no body', ''],
    ['half a body', '{"partner_event_id":"event-half'],
    ['two bodies', '{}{}'],
    ['a byte order mark', '\ufeff{}'],
    ['very deep nesting', '['.repeat(30_000)],
  ];
  for (const [title, fields, headers] of cases) {
    test(`${title} is refused and nothing is stored`, () =>
      assertStoresNothing(service.database, [partner.partnerId], async () => {
        const answer =
          typeof fields === 'string'
            ? await client.post('/v1/impact-transactions', fields, { 'content-type': 'application/json', ...headers })
            : await client.confirm(fields, headers);
        assertError(answer, 'invalid_request');
        assert.equal(answer.body.error.retryable, false);
      }));
  }

  test('every problem is named, in the order of the interface, headers first', async () => {
    const body = { zzz: 1, opaque_customer_ref: 'a b', points: 0, partner_order_ref: '', aaa: 2, partner_event_id: 'short' };
    const answer = await client.post('/v1/impact-transactions', body, { 'idempotency-key': 'short' });
    const fields = answer.body.error.details.map((detail: { field: string }) => detail.field);
    const expected = ['Idempotency-Key', 'partner_event_id', 'partner_order_ref', 'points', 'opaque_customer_ref', 'zzz', 'aaa'];
    assert.deepEqual(fields.slice(0, 7), expected);
    assertError(answer, 'invalid_request');
  });

  test('a body that is none is told what it is instead', async () => {
    const cases: [body: string, words: string][] = [
      ['', 'The body is not valid JSON: it is empty.'],
      [' \n', 'The body is not valid JSON: it is empty.'],
      ['\ufeff{}', 'The body is not valid JSON: it begins with a byte order mark; send it without one.'],
      ['[]', 'The body must be a JSON object; it is an array.'],
      ['[{}]', 'The body must be a JSON object; it is an array.'],
      ['"{}"', 'The body must be a JSON object; it is a string.'],
      ['null', 'The body must be a JSON object; it is null.'],
      ['5', 'The body must be a JSON object; it is a number.'],
    ];
    for (const [body, words] of cases) {
      const answer = await client.post('/v1/impact-transactions', body, { 'content-type': 'application/json' });
      assertError(answer, 'invalid_request');
      assert.equal(answer.body.error.message, words, body);
    }
  });

  test('an empty array in place of a value is called an array', async () => {
    for (const field of ['points', 'partner_order_ref']) {
      const answer = await client.confirm({ [field]: [] });
      assert.match(answer.body.error.message, /; it is an empty array/, field);
    }
  });

  test('the specific code stands only where no problem is structural', async () => {
    assertError(await client.confirm({ points: 0 }), 'invalid_point_amount');
    assertError(await client.confirm({ points: 0, unknown: 1 }), 'invalid_request');
  });

  test('a refused value is never repeated in the answer: it may be personal', async () => {
    const answer = await client.confirm({ opaque_customer_ref: 'someone@example.com' });
    assert.doesNotMatch(answer.text, /someone@example/);
  });

  test('an unknown member is named in its own letters, with what cannot be seen escaped', async () => {
    for (const [name, shown] of [
      ['نقاط', 'نقاط'],
      ['a\u202eb\0\n', 'a\\u202eb\\u0000\\u000a'],
      [`${'x'.repeat(63)}😀y`, `${'x'.repeat(63)}\\`],
      ['😀'.repeat(40), '😀'.repeat(32)],
    ] as const) {
      const answer = await client.confirm({ [name]: 5 });
      assertError(answer, 'invalid_request');
      const { field, message } = answer.body.error.details.find(({ code }: { code: string }) => code === 'unknown_field');
      assert.deepEqual([field, message], [shown, `${shown} is not a field of this operation; remove it.`]);
    }
  });

  test('a mistyped or shortened member is told which field it may be, unless that was sent too', async () => {
    const told = async (fields: object) => {
      const answer = await client.confirm(fields);
      assertError(answer, 'invalid_request');
      const { details } = answer.body.error;
      return details.find(({ code }: { code: string }) => code === 'unknown_field').message;
    };
    const said = (name: string, next: string) => `${name} is not a field of this operation; ${next}`;
    assert.equal(await told({ calculationID: 'calc_1' }), said('calculationID', 'did you mean calculation_id?'));
    assert.equal(await told({ opaque_custmer_ref: 'c' }), said('opaque_custmer_ref', 'did you mean opaque_customer_ref?'));
    assert.equal(await told({ partner_order_reff: 'o' }), said('partner_order_reff', 'remove it.'));
    assert.equal(await told({ customer_ref: 'c' }), said('customer_ref', 'did you mean opaque_customer_ref?'));
    assert.equal(await told({ event_id: 'e', partner_event_id: undefined }), said('event_id', 'did you mean partner_event_id?'));
    assert.equal(await told({ order_ref: 'o' }), said('order_ref', 'remove it.'));
    assert.equal(await told({ id: 'i', partner_event_id: undefined }), said('id', 'remove it.'));
    assert.equal(await told({ note: 'n' }), said('note', 'remove it.'));
  });

  test('what a value is instead is said so that its sender sees the mistake', async () => {
    const cases: [fields: object, field: string, words: RegExp][] = [
      [{ partner_order_ref: '#1234 5' }, 'partner_order_ref', /: -; its character 1 is none of them\.$/],
      [{ partner_order_ref: 'order١' }, 'partner_order_ref', /its character 6 is none of them\.$/],
      [{ partner_order_ref: 'x'.repeat(129) }, 'partner_order_ref', /it is a string of 129 characters\.$/],
      [{ partner_order_ref: 1234 }, 'partner_order_ref', /it is a number: write it in quotation marks\.$/],
      [{ points: '100' }, 'points', /as a JSON number; it is a string\.$/],
      [{ points: 12.5 }, 'points', /it is not whole\.$/],
    ];
    for (const [fields, field, words] of cases) {
      const { status, body } = await client.confirm(fields);
      assert.equal(status, 400);
      assert.match(body.error.details.find((detail: { field: string }) => detail.field === field).message, words);
    }
  });

  test("of more than 50 problems the first 50 are listed, the contract's fields first, and then their number", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, 1]));
    const answer = await client.confirm({ ...unknown, points: 0 });
    assertError(answer, 'invalid_request');
    const [first, ...others] = answer.body.error.details;
    assert.equal(first.field, 'points');
    assert.equal(others.filter(({ code }: { code: string }) => code === 'unknown_field').length, 49);
    assert.deepEqual(others[49], {
      field: 'request',
      code: 'more_problems',
      message: 'The request has 5001 problems; the first 50 are listed.',
    });
    assert.ok(answer.text.length < 16_384, `${answer.text.length} bytes`);
  });
});
