import { readNamesOfPartners } from '../operations/access/read-names-of-partners.ts';
import type { Queryable } from '../store/database.ts';
import { findReconciliation } from '../store/reconciliations/reconciliation.ts';
import { findSettlement } from '../store/settlements/settlement.ts';
import type { OperatorRoute } from './route.ts';

/** What a list is asked for by. */
type Asked = Readonly<Record<string, string | undefined>>;

/**
 * The name of an exported list after what it holds: the list, the partner, the period of the settlement, the values that were chosen from
 * a closed list, and the day in UTC: `reconciliation-lines-Souq-Express-2026-11-matched-2026-11-25`.
 */
export async function exportNameOf(db: Queryable, list: OperatorRoute, asked: Asked, now: Date): Promise<string> {
  const { partner_id: partnerId = '' } = asked;
  const names = partnerId === '' ? undefined : await readNamesOfPartners(db, [partnerId]);
  const parts = [
    list.operation
      .replace(/^list/, '')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')
      .toLowerCase(),
    names?.get(partnerId),
    partnerId === '' ? undefined : await periodOf(db, partnerId, asked),
    ...closedFiltersOf(list).map((name) => asked[name]),
    now.toISOString().slice(0, 10),
  ];
  return parts.flatMap((part) => part?.replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, '-').replaceAll(/^-|-$/g, '') || []).join('-');
}

async function periodOf(db: Queryable, partnerId: string, asked: Asked): Promise<string | undefined> {
  const { reconciliation_id: listId } = asked;
  const list = listId === undefined ? undefined : await findReconciliation(db, partnerId, listId);
  const settlementId = asked['settlement_id'] ?? list?.settlementId;
  const settlement = settlementId === undefined ? undefined : await findSettlement(db, partnerId, settlementId);
  return settlement?.period.label;
}

function closedFiltersOf({ query }: OperatorRoute): string[] {
  const { properties = {} } = (query ?? {}) as { properties?: Record<string, { readonly enum?: readonly string[] }> };
  return Object.keys(properties).filter((name) => name !== 'sort' && properties[name]?.enum !== undefined);
}

/** The header of a download; browsers that do not read a name of any language take the other one. @see RFC 6266, section 4.3. */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]+/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}
