import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { requireAuditKey, requireSecretsKey } from './configured-keys.ts';

const NOBODY = 65_534;
const dataDirectory = mkdtempSync(join(tmpdir(), 'partner-impact-keys-'));
after(() => rmSync(dataDirectory, { recursive: true }));

/** In a folder that the process may not enter. */
function asStranger(work: () => void): void {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  else chmodSync(dataDirectory, 0);
  try {
    work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    else chmodSync(dataDirectory, 0o700);
  }
}

const config = { dataDirectory, auditKey: undefined, secretsKey: undefined };

test('a key whose folder the process may not enter is not taken for missing', () => {
  asStranger(() => {
    assert.throws(() => requireAuditKey(config), /EACCES.*audit\.key/);
    assert.throws(() => requireSecretsKey(config), /EACCES.*secrets\.key/);
  });
});

test('a missing key is named as missing', () => {
  assert.throws(() => requireAuditKey(config), /audit\.key does not exist/);
  assert.throws(
    () => requireSecretsKey(config),
    /key of the endpoints' secrets and the second factors: .*secrets\.key does not exist/,
  );
});
