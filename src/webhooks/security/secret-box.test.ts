import assert from 'node:assert/strict';
import { createDecipheriv } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { newNamedKey } from '../../domain/audit/named-key.ts';
import { openSecretBox, SecretUnreadableError } from './secret-box.ts';
import { newSecret } from './signature.ts';

const OLD = newNamedKey('2025');
const NEW = newNamedKey('2026');
const box = openSecretBox([NEW, OLD]);

describe('decisions, section 7: secrets are kept encrypted', () => {
  test('what was sealed opens for its endpoint, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'binary' }), (endpointId, secret) => {
        assert.equal(box.open(endpointId, box.seal(endpointId, secret)), secret);
      }),
    );
  });

  test('one line of printable ASCII, with the key id beside the ciphertext', () => {
    assert.match(box.seal('ep_1', newSecret()), /^v1\.2026\.[0-9A-Za-z_-]+$/);
  });

  test('the same secret is never sealed alike twice', () => {
    const secret = newSecret();
    const sealed = Array.from({ length: 1000 }, () => box.seal('ep_1', secret));
    assert.equal(new Set(sealed.map((each) => each.slice(0, 'v1.2026.'.length + 16))).size, sealed.length);
    for (const each of sealed) assert.ok(!each.includes(secret.slice(6, 20)));
  });

  test('it is AES-256-GCM: nonce of 12 bytes, ciphertext, tag of 16, bound to key and endpoint', () => {
    const payload = Buffer.from(box.seal('ep_1', 'whsec_abc').split('.')[2] as string, 'base64url');
    assert.equal(payload.length, 12 + 9 + 16);
    const decipher = createDecipheriv('aes-256-gcm', NEW.bytes, payload.subarray(0, 12));
    decipher.setAAD(Buffer.from('v1.2026.ep_1'));
    decipher.setAuthTag(payload.subarray(-16));
    assert.equal(decipher.update(payload.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8'), 'whsec_abc');
  });

  test('copied to another endpoint it does not open', () => {
    const sealed = box.seal('ep_1', newSecret());
    for (const other of ['ep_2', '', 'ep_1 ', 'EP_1']) assert.throws(() => box.open(other, sealed), SecretUnreadableError);
  });

  test('any one altered byte is noticed, and so is any missing one', () => {
    const payload = Buffer.from(box.seal('ep_1', newSecret()).split('.')[2] as string, 'base64url');
    const open = (bytes: Buffer) => box.open('ep_1', `v1.2026.${bytes.toString('base64url')}`);
    open(payload);
    for (let place = 0; place < payload.length; place++) {
      const altered = Buffer.from(payload);
      altered[place] = (altered[place] as number) ^ 1;
      assert.throws(() => open(altered), SecretUnreadableError);
      assert.throws(() => open(payload.subarray(0, place)), SecretUnreadableError);
      assert.throws(() => open(payload.subarray(payload.length - place)), SecretUnreadableError);
    }
  });

  test('what is not sealed at all is said to be so', () => {
    for (const text of ['', 'whsec_abc', 'v2.2026.AAAA', 'v1.2026.', 'v1..AAAA', 'v1.2026.AA+A', `${box.seal('ep_1', 'x')}\n`]) {
      assert.throws(() => box.open('ep_1', text), { name: 'SecretUnreadableError', message: /is not in the form v1/ });
    }
  });
});

describe('decisions, section 7: the key can rotate', () => {
  test('the first key seals, and what an older one sealed still opens', () => {
    const sealed = openSecretBox([OLD]).seal('ep_1', 'whsec_abc');
    assert.equal(box.open('ep_1', sealed), 'whsec_abc');
    assert.match(box.seal('ep_1', 'whsec_abc'), /^v1\.2026\./);
  });

  test('a key taken away is named', () => {
    const sealed = openSecretBox([OLD]).seal('ep_1', 'whsec_abc');
    const message = 'The secret of ep_1 is sealed under the key "2025", which is not among those given: 2026.';
    assert.throws(() => openSecretBox([NEW]).open('ep_1', sealed), { name: 'SecretUnreadableError', message });
  });

  test('another key of the same name opens nothing', () => {
    const sealed = box.seal('ep_1', 'whsec_abc');
    assert.throws(() => openSecretBox([newNamedKey('2026')]).open('ep_1', sealed), /another one of that name/);
  });

  test('no key at all is a defect', () => {
    assert.throws(() => openSecretBox([]), /at least one key/);
  });
});
