import { createHmac } from 'node:crypto';
import { readUnitPrice } from '../../src/domain/money.ts';
import type { SettlementTools } from '../../src/operations/settlement-tools.ts';

/** With a price, so that amounts are added up as well, and under a key of the experiment's own. */
export const settlementTools: SettlementTools = {
  sign: (text) => createHmac('sha256', 'of an experiment').update(text).digest('hex'),
  pricesOf: async () => ({ currency: 'SAR', values: new Map([['default-1', readUnitPrice('0.0125') as bigint]]) }),
};
