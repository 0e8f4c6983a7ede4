import { readUnitPrice } from '../../src/domain/numbers/money.ts';
import { openSealKeys } from '../../src/domain/settlements/settlement-seal.ts';
import type { SettlementTools } from '../../src/operations/settlements/settlement-tools.ts';

/** For a connection that an experiment opens by itself. */
const auditKeys = () => [{ id: 'experiment', bytes: Buffer.alloc(32, 6) }];

/** With a price, so that amounts are added up as well, and under a key of the experiment's own. */
export const settlementTools: SettlementTools = {
  ...openSealKeys(auditKeys),
  pricesOf: async () => ({ currency: 'SAR', values: new Map([['default-1', readUnitPrice('0.0125') as bigint]]) }),
  doubtsOf: () => async () => undefined,
};
