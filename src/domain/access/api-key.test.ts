import assert from 'node:assert/strict';
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { ENVIRONMENTS, environmentOfKey, newApiKey, parseApiKey } from './api-key.ts';
import { isSameSecret } from './checksummed-secret.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keys = fc.constantFrom(...ENVIRONMENTS).map((environment) => newApiKey(environment).apiKey);

/** CRC32 in base 62, by a way of its own. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  const digits = Array.from({ length: 6 }, () => {
    const digit = ALPHABET.charAt(rest % 62);
    rest = Math.floor(rest / 62);
    return digit;
  });
  return digits.reverse().join('');
}

test('decisions, section 5: a key is prefix, 12-character id, 43-character secret and 6-character checksum', () => {
  assert.match(newApiKey('sandbox').apiKey, /^pi_sandbox_[0-9A-Za-z]{61}$/);
  assert.match(newApiKey('production').apiKey, /^pi_live_[0-9A-Za-z]{61}$/);
  const { apiKey, keyId, secretSha256 } = newApiKey('sandbox');
  assert.equal(apiKey.slice(11, 23), keyId);
  assert.deepEqual(
    secretSha256,
    createHash('sha256')
      .update(Buffer.from(apiKey.slice(23, 66), 'ascii'))
      .digest(),
  );
  assert.equal(apiKey.slice(66), checksumOf(apiKey.slice(0, 66)));
});

test('decisions, section 5: a new key is parsed into what is stored of it', () => {
  for (const environment of ENVIRONMENTS) {
    for (let n = 0; n < 500; n++) {
      const { apiKey, keyId, secretSha256 } = newApiKey(environment);
      assert.deepEqual(parseApiKey(apiKey), { environment, keyId, secretSha256 });
    }
  }
});

test('decisions, section 5: a key issued once is understood for ever', () => {
  const unchecked = `pi_live_0123456789AB${'0'.repeat(42)}z`;
  const apiKey = unchecked + checksumOf(unchecked);
  assert.equal(apiKey, 'pi_live_0123456789AB000000000000000000000000000000000000000000z29qZ9Z');
  assert.deepEqual(parseApiKey(apiKey), {
    environment: 'production',
    keyId: '0123456789AB',
    secretSha256: createHash('sha256')
      .update(`${'0'.repeat(42)}z`)
      .digest(),
  });
});

test('Authentication: any one wrong character is refused without asking a database', () => {
  fc.assert(
    fc.property(keys, fc.nat(), fc.constantFrom(...ALPHABET, '_', '-', ' ', 'é'), (apiKey, place, character) => {
      const at = place % apiKey.length;
      const wrong = apiKey.slice(0, at) + character + apiKey.slice(at + 1);
      assert.equal(parseApiKey(wrong) === undefined, wrong !== apiKey);
    }),
    { numRuns: 2000 },
  );
});

test('Authentication: two characters exchanged, one missing or one too many are refused', () => {
  fc.assert(
    fc.property(keys, fc.nat(), (apiKey, place) => {
      const at = place % (apiKey.length - 1);
      const [one = '', other = ''] = apiKey.slice(at, at + 2);
      const exchanged = apiKey.slice(0, at) + other + one + apiKey.slice(at + 2);
      if (one !== other) assert.equal(parseApiKey(exchanged), undefined);
      assert.equal(parseApiKey(apiKey.slice(0, at) + apiKey.slice(at + 1)), undefined);
      assert.equal(parseApiKey(apiKey.slice(0, at) + one + apiKey.slice(at)), undefined);
    }),
  );
});

test('Authentication: a key of one environment is none of the other, even with the checksum made anew', () => {
  const body = newApiKey('sandbox').apiKey.slice(11);
  assert.equal(parseApiKey(`pi_live_${body}`), undefined);
  for (const prefix of ['', 'pi_', 'pi_test_', 'PI_LIVE_', 'pi_sandbox', ' pi_live_']) {
    const unchecked = prefix + body.slice(0, 55);
    assert.equal(parseApiKey(unchecked + checksumOf(unchecked)), undefined, prefix);
  }
});

test('Authentication: a wrong length or alphabet is refused though the checksum is right', () => {
  const checked = (unchecked: string) => unchecked + checksumOf(unchecked);
  const id = 'A'.repeat(12);
  assert.ok(parseApiKey(checked(`pi_live_${id}${'B'.repeat(43)}`)));
  for (const secret of ['B'.repeat(42), 'B'.repeat(44), `${'B'.repeat(42)}_`, `${'B'.repeat(42)} `, '']) {
    assert.equal(parseApiKey(checked(`pi_live_${id}${secret}`)), undefined, secret);
  }
  const whole = checked(`pi_live_${id}${'B'.repeat(43)}`);
  for (const text of ['', 'pi_live_', `${whole}\n`, `${whole} `, `${whole}${'0'.repeat(100_000)}`, whole.toLowerCase()]) {
    assert.equal(parseApiKey(text), undefined);
  }
});

test('Authentication, 4: the environment shows in the prefix, even of a malformed key', () => {
  assert.equal(environmentOfKey('pi_sandbox_'), 'sandbox');
  assert.equal(environmentOfKey('pi_live_???'), 'production');
  for (const text of ['', 'pi_', 'pi_liv', 'pi_production_x', 'xpi_live_', 'PI_LIVE_'])
    assert.equal(environmentOfKey(text), undefined, text);
});

test('Authentication, 3: key ids and secrets are never the same, and use the whole alphabet alike', () => {
  const made = Array.from({ length: 12_000 }, () => newApiKey('sandbox').apiKey);
  assert.equal(new Set(made.map((apiKey) => apiKey.slice(11, 23))).size, made.length);
  assert.equal(new Set(made.map((apiKey) => apiKey.slice(23, 66))).size, made.length);
  // Each of 62 characters comes about equally often, within seven standard deviations; a byte modulo 62 would be ten away.
  // The secret's first character is left out: 2^256 is a little less than 62^43, so the largest digit is rarer there.
  for (const [from, to] of [
    [11, 23],
    [24, 66],
  ] as const) {
    const mean = (made.length * (to - from)) / 62;
    const counts = new Map<string, number>();
    for (const apiKey of made)
      for (const character of apiKey.slice(from, to)) counts.set(character, (counts.get(character) ?? 0) + 1);
    assert.equal(counts.size, 62);
    for (const [character, count] of counts) assert.ok(Math.abs(count - mean) < 7 * Math.sqrt(mean), `${character} ${count}`);
  }
  const firstOfSecrets = new Set(made.map((apiKey) => apiKey[23]));
  assert.ok(firstOfSecrets.size > 55, 'the secret fills all 256 bits');
});

test('a secret is compared in constant time whether or not its id is known, and is the same only when both are', ({ mock }) => {
  const compared = mock.method(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();
  const [own, other] = [newApiKey('sandbox'), newApiKey('sandbox')];
  /** As if somebody had found what is compared in the place of a secret. */
  const nothing = { secretSha256: Buffer.alloc(32) };
  const pairs = [
    [own, own],
    [own, other],
    [own, undefined],
    [undefined, own],
    [nothing, undefined],
    [undefined, nothing],
    [undefined, undefined],
  ] as const;
  assert.deepEqual(
    pairs.map(([sent, known]) => isSameSecret(sent, known)),
    [true, false, false, false, false, false, false],
  );
  assert.equal(compared.mock.callCount(), pairs.length);
  mock.restoreAll();
  syncBuiltinESMExports();
});
