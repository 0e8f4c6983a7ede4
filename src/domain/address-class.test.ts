import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PUBLIC_ADDRESSES, REFUSED_ADDRESSES, UNREADABLE_ADDRESSES } from '../../test/support/address-corpus.ts';
import { classifyAddress } from './address-class.ts';

describe('decisions, section 7: addresses', () => {
  for (const [addressClass, addresses] of Object.entries(REFUSED_ADDRESSES)) {
    test(`${addressClass}: each is one, up to the edges`, () => {
      for (const address of addresses) assert.equal(classifyAddress(address), addressClass, address);
    });
  }

  test('public ones are public, up to the very edges of the others', () => {
    for (const address of PUBLIC_ADDRESSES) assert.equal(classifyAddress(address), 'public', address);
  });

  test('what no name service would answer is unreadable', () => {
    for (const text of UNREADABLE_ADDRESSES) assert.equal(classifyAddress(text), 'unreadable', text);
  });

  test('an IPv4 address is not public inside any IPv6 address that means it', () => {
    const words = fc.tuple(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0xffff }));
    fc.assert(
      fc.property(words, ([high, low]) => {
        const inside = `${high.toString(16)}:${low.toString(16)}`;
        for (const address of [
          `::ffff:${inside}`,
          `::${inside}`,
          `::ffff:0:${inside}`,
          `64:ff9b::${inside}`,
          `64:ff9b:1::${inside}`,
          `2002:${inside}::1`,
          `2001:0:${inside}::`,
          `2600:1f00::5efe:${inside}`,
        ]) {
          assert.notEqual(classifyAddress(address), 'public', address);
        }
      }),
    );
  });

  test('any IPv6 address outside of 2000::/3 is not public', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(address.split(':')[0] || '0', 16);
        if (first < 0x2000 || first > 0x3fff) assert.notEqual(classifyAddress(address), 'public', address);
      }),
      { numRuns: 2000 },
    );
  });
});
