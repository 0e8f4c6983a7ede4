import { createHmac } from 'node:crypto';
import type { NamedKey } from '../audit/named-key.ts';
import { amountText } from '../numbers/money.ts';
import type { SettlementPeriod } from './settlement-period.ts';
import type { SettlementTotals } from './settlement-totals.ts';

/**
 * Signs a text under a key that is not in the database. The same text gives the same signature, and nobody without the key can create it.
 */
export type Sign = (text: string) => string;

/** Keys can be replaced: the newest signs, and every configured key verifies its signatures. */
export interface SealKeys {
  readonly sign: Sign;
  /** Signs under the key of this seal; `undefined` when the key is not configured. */
  signLike(seal: string): Sign | undefined;
}

/**
 * @param listKeys The newest first; called when a key is first needed. A seal begins with the id of its key.
 */
export function openSealKeys(listKeys: () => readonly NamedKey[]): SealKeys {
  const signUnder = ({ id, bytes }: NamedKey): Sign => {
    const key = createHmac('sha256', bytes).update('settlement seals').digest();
    return (text) => `${id}.${createHmac('sha256', key).update(text).digest('hex')}`;
  };
  return {
    sign(text) {
      const [newest] = listKeys();
      if (!newest) throw new Error('Settlements need at least one key to be sealed with.');
      return signUnder(newest)(text);
    },
    signLike(seal) {
      const key = listKeys().find(({ id }) => id === keyOfSeal(seal));
      return key && signUnder(key);
    },
  };
}

/** The id of the key of a seal. */
export function keyOfSeal(seal: string): string {
  return seal.slice(0, Math.max(0, seal.indexOf('.')));
}

/** The fields of an open settlement that must not change before it is closed. */
export interface OpenedSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly sequence: bigint;
  readonly period: SettlementPeriod;
  readonly followsEvent: bigint;
  readonly createdAt: Date;
}

/** The fields of a closed settlement. */
export interface SealedSettlement extends OpenedSettlement {
  readonly closedAt: Date;
  readonly totals: SettlementTotals;
  readonly currency: string | null;
  readonly statement: {
    readonly csvSha256: string;
    readonly csvBytes: bigint;
    readonly lineCount: number;
    readonly previousCsvSha256: string | null;
    readonly chainSha256: string;
  };
}

/** The seal of a settlement that follows another: it is bound to the chain value of the previous one. */
export function sealOpened(sign: Sign, settlement: OpenedSettlement, previousChainSha256: string): string {
  return sign(JSON.stringify(['settlement opened', ...openedFields(settlement), previousChainSha256]));
}

/** The seal of a closed settlement. Nobody without the key can recreate it for changed fields and changed hashes. */
export function sealClosed(sign: Sign, settlement: SealedSettlement): string {
  const { closedAt, totals, currency, statement } = settlement;
  const { csvSha256, csvBytes, lineCount, previousCsvSha256, chainSha256 } = statement;
  return sign(
    JSON.stringify([
      'settlement closed',
      ...openedFields(settlement),
      closedAt.toISOString(),
      ...totalsFields(totals),
      currency,
      csvSha256,
      String(csvBytes),
      lineCount,
      previousCsvSha256,
      chainSha256,
    ]),
  );
}

function openedFields({ partnerId, settlementId, sequence, period, followsEvent, createdAt }: OpenedSettlement): string[] {
  const { startsAt, endsAt, timeZone, label } = period;
  return [
    partnerId,
    settlementId,
    String(sequence),
    startsAt.toISOString(),
    endsAt.toISOString(),
    timeZone,
    label,
    String(followsEvent),
    createdAt.toISOString(),
  ];
}

function totalsFields({ byVersion, amount, ...sums }: SettlementTotals): unknown[] {
  const { contributionCount, adjustmentCount, grossPoints, adjustmentPoints, carriedPoints, totalPoints } = sums;
  return [
    ...[contributionCount, adjustmentCount, grossPoints, adjustmentPoints, carriedPoints, totalPoints].map(String),
    amount === null ? null : amountText(amount),
    byVersion.map((each) => [
      each.contributionRuleVersion,
      each.pointConversionVersion,
      each.treeCostVersion,
      String(each.count),
      String(each.points),
      each.amount === null ? null : amountText(each.amount),
    ]),
  ];
}
