import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressGroup, isAddressOrBlock, isAllowedAddress } from './client-address.ts';

test('an address is allowed in each form in which a proxy writes it', () => {
  const allowed = ['192.0.2.0/24', '2001:db8::1'];
  for (const address of [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '192.0.2.7:4711',
    '2001:db8::1',
    '[2001:DB8::1]:4711',
    '2001:db8:0:0::1',
  ])
    assert.equal(isAllowedAddress(address, allowed), true, address);
  for (const address of ['192.0.3.7', '192.0.3.7:4711', '[2001:db8::2]:4711', '192.0.2.7:', '[192.0.2.7', 'unknown', '', '1'])
    assert.equal(isAllowedAddress(address, allowed), false, address);
  assert.equal(isAllowedAddress('unknown', []), true);
});

test('a block of mapped IPv4 addresses is the block of these addresses', () => {
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '10.1.2.3:4711'])
    assert.equal(isAllowedAddress(address, ['::ffff:10.0.0.0/104']), true, address);
  for (const address of ['11.1.2.3', '::1', '2001:db8::1'])
    assert.equal(isAllowedAddress(address, ['::ffff:10.0.0.0/104']), false, address);
  assert.equal(isAllowedAddress('10.1.2.3', ['::ffff:0:0/96']), true);
  assert.equal(isAllowedAddress('10.1.2.3', ['::/0']), false);
});

test('an allow-list has addresses and blocks in the forms that mean one address to everybody', () => {
  for (const text of ['192.0.2.7', '10.0.0.0/8', '0.0.0.0/0', '2001:db8::1', '2001:db8::/32', '::ffff:192.0.2.7'])
    assert.equal(isAddressOrBlock(text), true, text);
  // Octal, hexadecimal and short forms of 8.1.2.3, 10.1.2.3 and 10.0.0.1.
  const read = ['010.1.2.3', '0x0a.1.2.3', '10.1', '10', '167772161', '0xa000001'];
  for (const text of [
    ...read,
    ...read.map((address) => `${address}/8`),
    '10.0.0.0/33',
    '10.0.0.0/',
    '/8',
    '192.0.2.7:4711',
    'host',
    '',
  ])
    assert.equal(isAddressOrBlock(text), false, text);
});

test('attempts are counted by the host, without its port, and by the /64 of IPv6', () => {
  assert.deepEqual(
    ['192.0.2.7', '::ffff:192.0.2.7', '192.0.2.7:4711', '192.0.2.7:4712'].map(addressGroup),
    Array(4).fill('192.0.2.7'),
  );
  assert.equal(addressGroup('2001:db8::1'), addressGroup('[2001:db8::2]:4711'));
  assert.equal(addressGroup('nobody'), 'unknown');
});
