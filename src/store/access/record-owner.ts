import type { Queryable } from '../database.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { EVERY_PARTNER } from '../partner-ids.ts';
import { isRow, run } from '../query.ts';
import { STATUS_OF_DELIVERY } from '../webhooks/delivery-log.ts';

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
  /** SQL of its status; absent where it has none. */
  readonly status?: string;
}

const TABLES: Readonly<Record<string, SearchedTable>> = {
  stl: { kind: 'settlement', table: 'settlement', key: 'settlement_id', isOfPartner: true, status: 'status' },
  adj: { kind: 'adjustment', table: 'adjustment', key: 'adjustment_id', isOfPartner: true, status: 'status' },
  wep: { kind: 'endpoint', table: 'webhook_endpoint', key: 'endpoint_id', isOfPartner: true, status: 'status' },
  dlv: {
    kind: 'delivery',
    table: 'delivery d join webhook_endpoint e using (partner_id, endpoint_id)',
    key: 'delivery_id',
    isOfPartner: true,
    status: STATUS_OF_DELIVERY,
  },
  evt: { kind: 'event', table: 'event', key: 'event_id', isOfPartner: true },
  calc: { kind: 'estimate', table: 'estimate', key: 'calculation_id', isOfPartner: true },
  rec: { kind: 'reconciliation', table: 'reconciliation', key: 'reconciliation_id', isOfPartner: true, status: 'status' },
  fail: { kind: 'failure', table: 'failure_draft', key: 'failure_id', isOfPartner: true, status: 'status' },
  batch: { kind: 'impact_batch', table: 'impact_batch', key: 'impact_batch_id', isOfPartner: false, status: 'status' },
  project: { kind: 'project', table: 'project', key: 'project_id', isOfPartner: false },
  opr: {
    kind: 'operator',
    table: 'operator',
    key: 'operator_id',
    isOfPartner: false,
    status: "case when disabled_at is null then 'active' else 'disabled' end",
  },
};

function statementOf({ kind, table, key, isOfPartner, status = 'null::text' }: SearchedTable): OfAllPartners {
  return {
    name: `search_${kind}`,
    write(ofPartners) {
      if (!isOfPartner) return `select null::text as "partnerId", ${status} as status from ${table} where ${key} = $1`;
      const row = isRow({ partnerId: 'p.partner_id', key, value: '$1', condition: ofPartners('partner_id') });
      return `select p.partner_id as "partnerId", r.status from ${EVERY_PARTNER} cross join lateral (
          select ${status} as status from ${table} where ${row}
        ) r where ${ofPartners('p.partner_id')} limit 5`;
    },
  };
}

/** A record that an id names. */
export interface FoundRecord {
  readonly kind: SearchedKind;
  /** Whose it is; `null` where it belongs to no partner. */
  readonly partnerId: string | null;
  readonly id: string;
  /** `null` where its kind has none. */
  readonly status: string | null;
}

/** The record that an id names, and whose it is; none where there is none. It looks one key up for each partner. */
export async function searchRecordOwner(nodes: NodeReader, db: Queryable, id: string): Promise<FoundRecord[]> {
  const [prefix = ''] = id.split('_', 1);
  const table = Object.hasOwn(TABLES, prefix) ? TABLES[prefix] : undefined;
  if (!table) return [];
  type Row = { readonly partnerId: string | null; readonly status: string | null };
  const { name, write } = statementOf(table);
  const rows = table.isOfPartner
    ? await nodes.read<Row>({ name, write }, [id])
    : await run<Row>(db, { name, text: write(() => 'true') }, [id]);
  return rows.map(({ partnerId, status }) => ({ kind: table.kind, partnerId, id, status }));
}
