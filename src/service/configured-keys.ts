import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type NamedKey, readNamedKeys } from '../domain/audit/named-key.ts';
import { openSecretBox, type SecretBox } from '../webhooks/security/secret-box.ts';
import { openKeyFile } from './key-file.ts';

const SECRETS_FILE = 'secrets.key';

/** The keys of audit entries: those of the setting, or the key that the embedded default stores in its data folder. */
export function openAuditKeys({ auditKey, dataDirectory }: Pick<Config, 'auditKey' | 'dataDirectory'>): readonly NamedKey[] {
  if (auditKey !== undefined) return readNamedKeys(auditKey, 'AUDIT_KEY');
  return openKeyFile({ dataDirectory, name: 'audit.key', ifExposed: '' });
}

/** The keys that encrypt the secrets of endpoints, from the same two places. */
export function openConfiguredSecretBox({ secretsKey, dataDirectory }: Pick<Config, 'secretsKey' | 'dataDirectory'>): SecretBox {
  if (secretsKey !== undefined) return openSecretBox(readNamedKeys(secretsKey, 'SECRETS_KEY'));
  return openSecretBox(openKeyFile({ dataDirectory, name: SECRETS_FILE, ifExposed: " and renew the endpoints' secrets" }));
}

/**
 * For who only looks: without the setting and its file {@link openConfiguredSecretBox} makes a new key.
 *
 * @throws Error
 */
export function requireSecretsKey({ secretsKey, dataDirectory }: Pick<Config, 'secretsKey' | 'dataDirectory'>): void {
  if (secretsKey === undefined && !existsSync(join(dataDirectory, SECRETS_FILE)))
    throw new Error(
      `There is no key of the endpoints' secrets: SECRETS_KEY is not set, and ${join(dataDirectory, SECRETS_FILE)} does not exist. Set the key that was kept`,
    );
}
