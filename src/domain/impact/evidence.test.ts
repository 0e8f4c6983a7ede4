import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNewEvidence, type NewEvidence } from './evidence.ts';

const EVIDENCE: NewEvidence = {
  type: 'photo',
  url: 'https://files.example.org/1.jpg',
  fileName: '1.jpg',
  byteCount: 3n,
  sha256: 'a'.repeat(64),
  capturedAt: new Date('2026-01-02T03:04:05Z'),
};
const problemsOf = (url: string) => checkNewEvidence({ ...EVIDENCE, url }, new Date('2026-02-01'));

test('settlements, section 4, evidence: an address that nobody outside can open is refused, however it is spelt', () => {
  const hosts = [
    ...['localhost', 'LOCALHOST.', 'a.localhost', 'files', 'files.internal', 'nas.local', 'nas.local.', 'nas.home.arpa'],
    ...['127.0.0.1', '0x7f.1', '2130706433', '10.0.0.7', '192.168.1.2', '172.16.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['[::1]', '[fd00::1]', '[fe80::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '192.0.2.1', '224.0.0.1'],
  ];
  for (const host of hosts) {
    for (const url of [`https://${host}/1.jpg`, `https://${host}:8443/1.jpg`]) {
      const [problem, ...more] = problemsOf(url);
      assert.deepEqual([problem?.field, problem?.code, more], ['url', 'not_public', []], url);
      assert.match(problem?.message ?? '', /^url must be an https address that .* can open, .*: its host is /);
    }
  }
});

test('settlements, section 4, evidence: a public name or address is accepted, and a wrong form is told once', () => {
  for (const host of [
    'files.example.org',
    'local.example.org',
    'localhost.example.org',
    '9.9.9.9',
    '[2620:fe::fe]',
    'صور.example',
  ])
    assert.deepEqual(problemsOf(`https://${host}/1.jpg`), [], host);
  for (const url of ['http://localhost/1.jpg', 'https://a@localhost/', 'ftp://10.0.0.1/', 'https://', 'x'])
    assert.deepEqual(
      problemsOf(url).map(({ field, code }) => `${field} ${code}`),
      ['url wrong_form'],
      url,
    );
});
