/** A secret that a program prints is known to everybody: a receiver that nobody gave a secret must not accept it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { failedEvent, signedRequest } from '../../../sdk/src/testing.ts';

/** Signs an event with every text of the program that could be a secret; each must be refused. */
export async function assertRefusesPrintedSecrets(program: string, url: string): Promise<void> {
  const texts = readFileSync(program, 'utf8').match(/whsec_[!-~]{16,}?(?=['"`])/g) ?? [];
  assert.notEqual(texts.length, 0);
  for (const secret of texts) {
    const { headers, body } = signedRequest({ secret, event: failedEvent(1n) });
    const { status } = await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
    assert.equal(status, 401, secret);
  }
}
