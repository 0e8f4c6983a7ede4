import type { Queryable } from '../database.ts';
import { type PartnerIds, partnerIdsIn } from '../partner-ids.ts';
import { run, type Statement } from '../query.ts';

/** What an id names, told by its beginning. */
export type SearchedKind =
  | 'settlement'
  | 'adjustment'
  | 'endpoint'
  | 'delivery'
  | 'event'
  | 'estimate'
  | 'reconciliation'
  | 'failure'
  | 'impact_batch'
  | 'project'
  | 'operator';

interface SearchedTable {
  readonly kind: SearchedKind;
  readonly table: string;
  readonly key: string;
  /** Whether its key begins with the partner. */
  readonly isOfPartner: boolean;
}

const TABLES: Readonly<Record<string, SearchedTable>> = {
  stl: { kind: 'settlement', table: 'settlement', key: 'settlement_id', isOfPartner: true },
  adj: { kind: 'adjustment', table: 'adjustment', key: 'adjustment_id', isOfPartner: true },
  wep: { kind: 'endpoint', table: 'webhook_endpoint', key: 'endpoint_id', isOfPartner: true },
  dlv: { kind: 'delivery', table: 'delivery', key: 'delivery_id', isOfPartner: true },
  evt: { kind: 'event', table: 'event', key: 'event_id', isOfPartner: true },
  calc: { kind: 'estimate', table: 'estimate', key: 'calculation_id', isOfPartner: true },
  rec: { kind: 'reconciliation', table: 'reconciliation', key: 'reconciliation_id', isOfPartner: true },
  fail: { kind: 'failure', table: 'failure_draft', key: 'failure_id', isOfPartner: true },
  batch: { kind: 'impact_batch', table: 'impact_batch', key: 'impact_batch_id', isOfPartner: false },
  project: { kind: 'project', table: 'project', key: 'project_id', isOfPartner: false },
  opr: { kind: 'operator', table: 'operator', key: 'operator_id', isOfPartner: false },
};

function statementOf({ table, key, isOfPartner }: SearchedTable): Statement {
  const name = `search_${table}`;
  return isOfPartner
    ? {
        name,
        text: `select partner_id as "partnerId" from ${table} where partner_id = any (${partnerIdsIn('$1')}) and ${key} = $2 limit 5`,
      }
    : { name, text: `select null::text as "partnerId" from ${table} where $1::text is not null and ${key} = $2` };
}

const STATEMENTS = new Map(Object.values(TABLES).map((table) => [table.kind, statementOf(table)]));

/** Whose record an id names; nobody's where there is none. It looks one key up for each partner. */
export async function searchRecordOwner(
  db: Queryable,
  partnerIds: PartnerIds,
  id: string,
): Promise<{ readonly kind: SearchedKind; readonly partnerId: string | null; readonly id: string }[]> {
  const [prefix = ''] = id.split('_', 1);
  const table = Object.hasOwn(TABLES, prefix) ? TABLES[prefix] : undefined;
  if (!table) return [];
  const rows = await run<{ partnerId: string | null }>(db, STATEMENTS.get(table.kind) as Statement, [partnerIds, id]);
  return rows.map(({ partnerId }) => ({ kind: table.kind, partnerId, id }));
}
