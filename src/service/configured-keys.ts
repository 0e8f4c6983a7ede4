import type { Config } from '../config.ts';
import { type NamedKey, readNamedKeys } from '../domain/audit/named-key.ts';
import { openSecretBox, type SecretBox } from '../webhooks/security/secret-box.ts';
import { openKeyFile } from './key-file.ts';

/** The keys of audit entries: those of the setting, or the key that the embedded default stores in its data folder. */
export function openAuditKeys({ auditKey, dataDirectory }: Pick<Config, 'auditKey' | 'dataDirectory'>): readonly NamedKey[] {
  if (auditKey !== undefined) return readNamedKeys(auditKey, 'AUDIT_KEY');
  return openKeyFile({ dataDirectory, name: 'audit.key', ifExposed: '' });
}

/** The keys that encrypt the secrets of endpoints, from the same two places. */
export function openConfiguredSecretBox({ secretsKey, dataDirectory }: Pick<Config, 'secretsKey' | 'dataDirectory'>): SecretBox {
  if (secretsKey !== undefined) return openSecretBox(readNamedKeys(secretsKey, 'SECRETS_KEY'));
  return openSecretBox(openKeyFile({ dataDirectory, name: 'secrets.key', ifExposed: " and renew the endpoints' secrets" }));
}
