import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { type NamedKey, readNamedKeys } from '../../domain/audit/named-key.ts';
import { openSecretBox, type SecretBox } from '../../webhooks/security/secret-box.ts';
import { openKeyFile } from './key-file.ts';

const SECRETS_FILE = 'secrets.key';
const AUDIT_FILE = 'audit.key';
const IF_EXPOSED = ", and renew the endpoints' secrets and the operators' second factors";

type AuditKeyConfig = Pick<Config, 'auditKey' | 'dataDirectory'>;

/** The keys of audit entries: those of the setting, or the key that the embedded default stores in its data folder; a new one at first. */
export function openAuditKeys({ auditKey, dataDirectory }: AuditKeyConfig): readonly NamedKey[] {
  if (auditKey !== undefined) return readNamedKeys(auditKey, 'AUDIT_KEY');
  return openKeyFile({ dataDirectory, name: AUDIT_FILE, ifExposed: '' });
}

export function hasAuditKey({ auditKey, dataDirectory }: AuditKeyConfig): boolean {
  return auditKey !== undefined || isThere(join(dataDirectory, AUDIT_FILE));
}

/** @throws Error Of the system, such as `EACCES`, with the path: what this process may not see is not missing. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * {@link openAuditKeys} where the audit has entries: a new key verifies none of them, and somebody could take it for the one to keep.
 *
 * @throws Error When there is neither the setting nor the file.
 */
export function requireAuditKey(config: AuditKeyConfig): readonly NamedKey[] {
  if (!hasAuditKey(config)) throw noKey('the audit', 'AUDIT_KEY', join(config.dataDirectory, AUDIT_FILE));
  return openAuditKeys(config);
}

/** The keys that encrypt the secrets of endpoints and the second factors of operators, from the same two places. */
export function openConfiguredSecretBox({ secretsKey, dataDirectory }: Pick<Config, 'secretsKey' | 'dataDirectory'>): SecretBox {
  if (secretsKey !== undefined) return openSecretBox(readNamedKeys(secretsKey, 'SECRETS_KEY'));
  return openSecretBox(openKeyFile({ dataDirectory, name: SECRETS_FILE, ifExposed: IF_EXPOSED }));
}

/**
 * For who only looks: without the setting and its file {@link openConfiguredSecretBox} makes a new key.
 *
 * @throws Error
 */
export function requireSecretsKey({ secretsKey, dataDirectory }: Pick<Config, 'secretsKey' | 'dataDirectory'>): void {
  const path = join(dataDirectory, SECRETS_FILE);
  if (secretsKey === undefined && !isThere(path))
    throw noKey("the endpoints' secrets and the second factors", 'SECRETS_KEY', path);
}

function noKey(of: string, setting: string, path: string): Error {
  return new Error(`There is no key of ${of}: ${setting} is not set, and ${path} does not exist. Set the key that was kept`);
}
