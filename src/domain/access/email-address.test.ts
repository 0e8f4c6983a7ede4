/** Settlements, section 5: two people are two accounts with different addresses, in their canonical form. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { canonicalAddress, readAddress } from './email-address.ts';

describe('one mailbox has one form', () => {
  for (const text of ['amal@example.org', 'AMAL@Example.ORG', 'amal+2@example.org', 'Amal+a+b@example.org', 'amal+@example.org'])
    test(text, () => assert.deepEqual(readAddress(text), { canonical: 'amal@example.org' }));

  test('other mailboxes, other domains and A-labels stay apart', () => {
    const addresses = ['amal.h@example.org', 'amalh@example.org', 'amal@mail.example.org', "o'brien@example.org"];
    addresses.push('amal@xn--mgbh0fb.xn--kgbechtv', 'amal@localhost');
    for (const address of addresses) assert.deepEqual(readAddress(address), { canonical: address });
  });
});

describe('what is no address, or could pass for another one, is refused with the reason', () => {
  const refused: readonly [string, RegExp][] = [
    ['аmal@example.org', /only ASCII letters before the @/],
    ['ａmal@example.org', /only ASCII letters before the @/],
    ['\u212Aamal@example.org', /only ASCII letters before the @/],
    ['أمل@example.org', /only ASCII letters before the @/],
    ['a\u202emal@example.org', /only ASCII letters before the @/],
    ['amal@exаmple.org', /A-labels: xn--/],
    ['amal@مثال.إختبار', /A-labels: xn--mgbh0fb\.xn--kgbechtv\./],
    ['amal@ｅxample.org', /A-labels: example\.org/],
    ['amal@example。org', /A-labels: example\.org/],
    ['amal@xn--exmple-4nf.org', /must use one alphabet/],
    ['amal@xn--0.org', /must use one alphabet/],
    ['amal@example.org.', /must not end with a full stop/],
    ['amal@.example.org', /an address such as/],
    ['amal@example..org', /an address such as/],
    ['amal@-example.org', /an address such as/],
    ['amal@127.0.0.1', /an address such as/],
    ['amal@127.1', /an address such as/],
    ['amal@[127.0.0.1]', /an address such as/],
    ['.amal@example.org', /an address such as/],
    ['amal.@example.org', /an address such as/],
    ['am..al@example.org', /an address such as/],
    ['+2@example.org', /an address such as/],
    ['amal.+2@example.org', /an address such as/],
    ['"amal"@example.org', /an address such as/],
    ['amal(work)@example.org', /an address such as/],
    ['amal @example.org', /an address such as/],
    ['amal%example.com@example.org', /an address such as/],
    ['a@b@example.org', /an address such as/],
    ['amal', /an address such as/],
    ['', /an address such as/],
    ['@', /an address such as/],
    ['amal@example.org\n', /an address such as/],
    [`${'a'.repeat(65)}@example.org`, /an address such as/],
    [`amal@${'a.'.repeat(125)}org`, /an address such as/],
  ];
  for (const [text, why] of refused)
    test(JSON.stringify(text), () => {
      const read = readAddress(text);
      assert.match('problem' in read ? read.problem : 'taken', why);
      assert.equal(canonicalAddress(text), undefined);
    });
});

test('the form of a form is itself, and holds nothing but ASCII', () => {
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'grapheme' })), (text) => {
      const canonical = canonicalAddress(text);
      if (canonical === undefined) return;
      assert.equal(canonicalAddress(canonical), canonical);
      assert.equal(canonicalAddress(canonical.toUpperCase()), canonical);
      assert.match(canonical, /^[!-~]+$/);
    }),
  );
});

test('who has no address has none in its form', () => assert.equal(canonicalAddress(null), undefined));
