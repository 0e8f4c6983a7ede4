import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import {
  ID_PREFIXES,
  IDENTIFIERS,
  idOfWork,
  isLongIdentifier,
  isOurId,
  isShortIdentifier,
  newId,
  newPartnerId,
  newWorkId,
  setIdentifierTime,
  timeOfId,
} from './identifiers.ts';

const ALLOWED = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-'];

test('Limits: Idempotency-Key, X-Correlation-ID, partner_event_id and calculation_id have 8 to 128 characters', () => {
  for (const length of [8, 9, 127, 128]) assert.ok(isLongIdentifier('a'.repeat(length)), String(length));
  for (const length of [0, 1, 7, 129, 1000]) assert.ok(!isLongIdentifier('a'.repeat(length)), String(length));
});

test('Limits: partner_order_ref and opaque_customer_ref have 1 to 128 characters', () => {
  for (const length of [1, 7, 8, 128]) assert.ok(isShortIdentifier('a'.repeat(length)), String(length));
  for (const length of [0, 129]) assert.ok(!isShortIdentifier('a'.repeat(length)), String(length));
});

test('Limits: letters, digits, ".", "_", ":" and "-" are allowed, and nothing else', () => {
  for (const character of ALLOWED) assert.ok(isLongIdentifier(character.repeat(8)) && isShortIdentifier(character), character);
  const others = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((character) => !ALLOWED.includes(character));
  fc.assert(
    fc.property(others, fc.nat(8), (character, place) => {
      const text = `${'a'.repeat(place)}${character}${'a'.repeat(8 - place)}`;
      assert.ok(!isLongIdentifier(text) && !isShortIdentifier(text));
    }),
  );
  for (const text of ['abcdefgh\n', '\nabcdefgh', 'abcd efgh', 'a@example.com', 'شجرة-شجرة', '１２３４５６７８']) {
    assert.ok(!isLongIdentifier(text) && !isShortIdentifier(text), text);
  }
});

test('Limits: only a string is an identifier', () => {
  for (const value of [undefined, null, 12345678, 12345678n, true, {}, ['abcdefgh'], new String('abcdefgh')]) {
    assert.ok(!isLongIdentifier(value) && !isShortIdentifier(value));
  }
});

test('Limits: the shapes given to schemas and the checks agree', () => {
  const shapes = Object.values(IDENTIFIERS);
  fc.assert(
    fc.property(fc.string({ maxLength: 140 }), fc.constantFrom(...shapes), (text, { pattern, minLength, maxLength }) => {
      const fits = new RegExp(pattern).test(text) && text.length >= minLength && text.length <= maxLength;
      assert.equal(minLength === 8 ? isLongIdentifier(text) : isShortIdentifier(text), fits);
    }),
  );
});

test('Estimate, calculation_id: every identifier that the service assigns fits the pattern of the interface', () => {
  for (const prefix of Object.values(ID_PREFIXES)) {
    if (prefix === 'ptn') continue;
    const id = newId(prefix);
    assert.match(id, new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`));
    assert.ok(isLongIdentifier(id) && isShortIdentifier(id));
  }
});

test('Contribution, transaction_id: identifiers never repeat, and later ones sort higher', () => {
  const ids = Array.from({ length: 100_000 }, () => newId('txn'));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids, ids.toSorted());
});

test('Contribution, transaction_id: processes that run at once never make the same identifier', async () => {
  const program = `import { newId } from ${JSON.stringify(new URL('./identifiers.ts', import.meta.url).href)};
    for (let n = 0; n < 20_000; n++) console.log(newId('txn'));`;
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { maxBuffer: 2 ** 24 });
  const outputs = await Promise.all([run(), run(), run()]);
  const ids = outputs.flatMap(({ stdout }) => stdout.trim().split('\n'));
  assert.equal(ids.length, 60_000);
  assert.equal(new Set(ids).size, ids.length);
});

test('Contribution, transaction_id: the random part of a new millisecond is drawn anew, not counted on', async () => {
  const randomPart = async () => {
    const millisecond = Date.now();
    while (Date.now() === millisecond) await undefined;
    return newId('txn').slice(-16);
  };
  const parts = [];
  for (let n = 0; n < 50; n++) parts.push(await randomPart());
  // 50 draws from 32 first characters, all equal, would be a chance of 1 in 2^245.
  assert.ok(new Set(parts.map((part) => part[0])).size > 5);
});

test('partners have short identifiers, which never repeat in a process, sort by time, also beside the long ones of earlier releases', () => {
  const ids = Array.from({ length: 5_000 }, newPartnerId);
  for (const id of ids) assert.match(id, /^ptn_[0-9A-HJKMNP-TV-Z]{16}$/);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids, ids.toSorted());
  const former = setIdentifierTime(() => Date.parse('2036-11-27T12:00:00.5Z'));
  try {
    const [id, long] = [newPartnerId(), idOfWork('ptn', newWorkId())];
    assert.equal(timeOfId('ptn', id), Date.parse('2036-11-27T12:00:00.500Z'));
    assert.equal(timeOfId('ptn', long), timeOfId('ptn', id));
    assert.ok(
      isOurId('ptn', id) && isOurId('ptn', long) && !isOurId('ptn', `${id}0`) && !isOurId('txn', id.replace('ptn', 'txn')),
    );
    assert.ok(long > (ids.at(-1) as string));
  } finally {
    setIdentifierTime(former);
  }
});

test('identifiers sort in the order in which they are made, and follow a clock that is set back from a time ahead', () => {
  const noonMs = Date.parse('2026-11-27T12:00:00Z');
  const timeAt = (ms: number) => {
    setIdentifierTime(() => noonMs + ms);
    return newId('txn');
  };
  const former = setIdentifierTime(() => 0);
  try {
    const ids = [0, 0.5, 5, -30_000, 7_200_000].map(timeAt);
    assert.deepEqual(ids, ids.toSorted());
    assert.equal(timeOfId('txn', ids[3] as string), noonMs + 5, 'a clock that is corrected by seconds makes no earlier ones');
    assert.equal(timeOfId('txn', timeAt(10)), noonMs + 10, 'two hours ahead is no time to keep');
    assert.equal(timeOfId('txn', timeAt(11)), noonMs + 11);
  } finally {
    setIdentifierTime(former);
  }
});
