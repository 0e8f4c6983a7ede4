import assert from 'node:assert/strict';
import { isIPv6 } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  ACCEPTED_URLS,
  DISGUISED_HOSTS,
  PUBLIC_ADDRESSES,
  REFUSED_ADDRESSES,
  REFUSED_URLS,
  UNREADABLE_ADDRESSES,
} from '../../../test/support/address-corpus.ts';
import { inWords } from '../../domain/address-class.ts';
import { checkEndpointUrl, findAddressRefusal, findHostRefusal, type GuardOptions } from './address-guard.ts';

const GUARDED = { allowInsecure: false };
const DEVELOPMENT = { allowInsecure: true };

const asHost = (address: string) => (isIPv6(address) ? `[${address}]` : address);

/** The reason why it may not be registered, or `accepted`. */
function verdictOf(url: string, options: GuardOptions & { readonly allowedPort?: number } = GUARDED): string {
  const verdict = checkEndpointUrl(url, options);
  return verdict.status === 'refused' ? verdict.reason : 'accepted';
}

test('the corpus is as large as promised', () => {
  const size = Object.values(REFUSED_ADDRESSES).flat().length + DISGUISED_HOSTS.length + REFUSED_URLS.length;
  assert.ok(size >= 250, String(size));
});

describe('decisions, section 7: addresses', () => {
  for (const [addressClass, addresses] of Object.entries(REFUSED_ADDRESSES)) {
    test(`${addressClass}: refused as an address and in a URL`, () => {
      for (const address of addresses) {
        assert.equal(findAddressRefusal(address, GUARDED), addressClass, address);
        if (!address.includes('%')) assert.equal(verdictOf(`https://${asHost(address)}:8443/hook`), addressClass, address);
      }
    });
  }

  test('public ones are allowed, up to the very edges of the others', () => {
    for (const address of PUBLIC_ADDRESSES) {
      assert.equal(verdictOf(`https://${asHost(address)}/hook`), 'accepted', address);
    }
  });

  test('what no name service would answer is unreadable, and refused', () => {
    for (const text of UNREADABLE_ADDRESSES) assert.equal(findAddressRefusal(text, DEVELOPMENT), 'unreadable', text);
  });
});

describe('decisions, section 7: hosts are checked after parsing', () => {
  for (const [host, reason] of DISGUISED_HOSTS) {
    test(`${JSON.stringify(host)}: ${reason}`, () => {
      assert.equal(verdictOf(`https://${host}/hook`), reason);
      assert.equal(verdictOf(`https://${host}:8443/hook`), reason);
    });
  }

  test('any spelling of a loopback address is one', () => {
    const spell = (byte: number) => [String(byte), `0x${byte.toString(16)}`, `0${byte.toString(8)}`, `0x000${byte.toString(16)}`];
    const bytes = fc.tuple(fc.constant(127), fc.nat(255), fc.nat(255), fc.nat(255));
    const host = bytes.chain((four) => fc.tuple(...four.map((byte) => fc.constantFrom(...spell(byte)))));
    fc.assert(
      fc.property(host, fc.constantFrom('', '.'), (parts, end) => {
        assert.equal(verdictOf(`https://${parts.join('.')}${end}/`), 'loopback');
      }),
    );
  });
});

describe('decisions, section 7: URLs', () => {
  for (const [url, reason] of REFUSED_URLS) test(`${JSON.stringify(url)}: ${reason}`, () => assert.equal(verdictOf(url), reason));

  for (const [url, kept] of ACCEPTED_URLS) {
    test(`${url} is kept as ${kept}`, () => {
      assert.deepEqual(checkEndpointUrl(url, GUARDED), { status: 'accepted', url: kept });
      assert.deepEqual(checkEndpointUrl(kept, GUARDED), { status: 'accepted', url: kept }, 'and checked again it stays');
    });
  }

  for (const [port, verdict] of [
    ...([22, 25, 80, 442, 444, 1_023, 0] as const).map((refused) => [refused, 'port'] as const),
    ...([443, 1_024, 8_443, 65_535] as const).map((accepted) => [accepted, 'accepted'] as const),
  ])
    test(`port ${port}: ${verdict}`, () => {
      assert.equal(verdictOf(`https://receiver.example.com:${port}/`), verdict);
      assert.equal(verdictOf(`https://receiver.example.com:0${port}/`), verdict);
      assert.equal(verdictOf(`https://receiver.example.com:${port}/`, { ...GUARDED, allowedPort: port }), 'accepted');
    });

  test('plain http has its own port, where it is allowed', () => {
    assert.equal(verdictOf('http://receiver.example.com/', DEVELOPMENT), 'accepted');
    assert.equal(verdictOf('http://receiver.example.com:80/', DEVELOPMENT), 'accepted');
    assert.equal(verdictOf('http://receiver.example.com:25/', DEVELOPMENT), 'port');
    assert.equal(verdictOf('https://receiver.example.com:80/', DEVELOPMENT), 'port');
  });

  test('a refusal is a sentence that names the class', () => {
    const verdict = checkEndpointUrl('https://10.0.0.1/', GUARDED);
    assert.ok(verdict.status === 'refused');
    assert.equal(verdict.sentence, "The URL's host is a private address.");
    for (const reason of Object.keys(REFUSED_ADDRESSES) as (keyof typeof REFUSED_ADDRESSES)[])
      assert.match(inWords(reason), /address/);
  });

  test('whatever is accepted leads to a public address or a public name', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.webAuthority().map((authority) => `https://${authority}/`),
        ),
        (url) => {
          const verdict = checkEndpointUrl(url, GUARDED);
          if (verdict.status === 'refused') return;
          const { protocol, hostname, username, hash } = new URL(verdict.url);
          assert.deepEqual([protocol, username, hash], ['https:', '', '']);
          assert.equal(findHostRefusal(hostname, GUARDED), undefined);
        },
      ),
    );
  });
});

describe('allowInsecure, for development', () => {
  test('plain http, names of the local network and private addresses are allowed', () => {
    for (const url of [
      'http://localhost:3000/hook',
      'http://127.0.0.1:3000/hook',
      'https://[::1]:3000/',
      'http://receiver:3000/',
      'http://10.1.2.3/',
      'http://192.168.1.5/',
      'http://100.64.0.1/',
      'http://[fd12::1]/',
      'http://receiver.local/',
      'https://hooks.example.com/',
    ]) {
      assert.equal(verdictOf(url, DEVELOPMENT), 'accepted', url);
    }
  });

  test('everything else is refused as ever', () => {
    const inside = ['loopback', 'private', 'carrier_grade_nat', 'unique_local'];
    for (const [addressClass, addresses] of Object.entries(REFUSED_ADDRESSES)) {
      const expected = inside.includes(addressClass) ? undefined : addressClass;
      for (const address of addresses) assert.equal(findAddressRefusal(address, DEVELOPMENT), expected, address);
    }
    assert.equal(verdictOf('ftp://localhost/', DEVELOPMENT), 'scheme');
    assert.equal(verdictOf('http://user@localhost/', DEVELOPMENT), 'user_info');
    assert.equal(verdictOf('http://localhost/#', DEVELOPMENT), 'fragment');
    assert.equal(verdictOf('http://169.254.169.254/latest/meta-data/', DEVELOPMENT), 'metadata');
  });
});

describe('allowThisMachine, for a sandbox of a developer', () => {
  const SANDBOX = { allowInsecure: false, allowThisMachine: true };
  const own = ['127.0.0.1', '::1'];

  test('127.0.0.1 and ::1 are allowed, by http and https, however they are spelled', () => {
    for (const url of [
      'http://127.0.0.1:9000/',
      'https://127.0.0.1/hook',
      'http://[::1]:9000/',
      'https://[0:0:0:0:0:0:0:1]/',
      'http://0x7f.1:9000/',
      'http://127.0.0.1.:9000/',
    ]) {
      assert.equal(verdictOf(url, SANDBOX), 'accepted', url);
    }
  });

  test('every other address of the corpus is refused as ever, as an address and in a URL', () => {
    for (const [addressClass, addresses] of Object.entries(REFUSED_ADDRESSES)) {
      for (const address of addresses.filter((each) => !own.includes(each) && !each.includes('%'))) {
        assert.equal(findHostRefusal(address, SANDBOX), addressClass, address);
        assert.equal(verdictOf(`https://${asHost(address)}/`, SANDBOX), addressClass, address);
        assert.equal(verdictOf(`http://${asHost(address)}/`, SANDBOX), 'plain_http', address);
      }
    }
  });

  test('a name is never this machine: not by its spelling, and not by what it resolves to', () => {
    for (const host of ['localhost', 'localhost.', 'LOCALHOST', '127.0.0.1.nip.io', 'receiver'])
      assert.equal(verdictOf(`http://${host}:9000/`, SANDBOX), 'plain_http', host);
    assert.equal(verdictOf('https://localhost/', SANDBOX), 'local_name');
    for (const address of own) assert.equal(findAddressRefusal(address, SANDBOX), 'loopback', address);
  });

  test('the rest of the URL is checked as always', () => {
    for (const [url, reason] of [
      ['http://user@127.0.0.1/', 'user_info'],
      ['http://127.0.0.1/#', 'fragment'],
      ['ftp://127.0.0.1/', 'scheme'],
      ['http://127.0.0.1@10.0.0.1/', 'plain_http'],
      ['http://hooks.example.com/', 'plain_http'],
      ['http://1.1.1.1/', 'plain_http'],
    ] as const)
      assert.equal(verdictOf(url, SANDBOX), reason, url);
  });
});
