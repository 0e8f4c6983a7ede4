import { createHmac } from 'node:crypto';
import type { Config } from './config.ts';
import type { Sign } from './domain/settlement-seal.ts';
import { type SettlementTools, withoutPrices } from './operations/settlement-tools.ts';
import { readSecretsKeys, type SecretsKey } from './webhooks/secret-box.ts';
import { openSecretsKeyFile } from './webhooks/secrets-key-file.ts';

/** What settlements are closed and verified with in this installation. */
export function configuredSettlementTools(config: Config): SettlementTools {
  return { sign: configuredSign(config), pricesOf: withoutPrices };
}

/** A key of its own, made from the first one that is kept outside the database. */
function configuredSign({ secretsKey, dataDirectory }: Config): Sign {
  const keys = secretsKey === undefined ? openSecretsKeyFile(dataDirectory) : readSecretsKeys(secretsKey);
  const { bytes } = keys[0] as SecretsKey;
  const key = createHmac('sha256', bytes).update('settlement seals').digest();
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
