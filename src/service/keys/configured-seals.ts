import type { Config } from '../../config.ts';
import { openSealKeys } from '../../domain/settlements/settlement-seal.ts';
import { doubtsUnderAudit, pricesUnderRules } from '../../operations/rules/rule-prices.ts';
import type { SettlementTools } from '../../operations/settlements/settlement-tools.ts';
import { requireAuditKey } from './configured-keys.ts';

/** The keys that seal and verify settlements in this installation: the keys of the audit, which are read when they are needed. */
export function configuredSettlementTools(config: Config): SettlementTools {
  return { ...openSealKeys(() => requireAuditKey(config)), pricesOf: pricesUnderRules, doubtsOf: doubtsUnderAudit };
}
