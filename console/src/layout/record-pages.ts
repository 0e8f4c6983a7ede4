import type { components } from '../api/operator-types.ts';
import { prefixOfId } from '../format/id-prefix.ts';

type FoundRecord = components['schemas']['FoundRecord'];
type Kind = FoundRecord['kind'] | 'contribution';

type Named = Pick<FoundRecord, 'partner_id' | 'id'> & { readonly kind: Kind };

/** Where a record of a kind is shown: on its page, or in a list where it has none. */
const PAGES: Readonly<Record<Kind, (record: Named) => string>> = {
  contribution: ({ partner_id, id }) => `/contributions/${partner_id}/${id}`,
  event: ({ partner_id, id }) => `/events/${partner_id}/${id}`,
  endpoint: ({ partner_id, id }) => `/webhooks/${partner_id}/${id}`,
  delivery: ({ partner_id, id }) => `/webhooks/${partner_id}/deliveries/${id}`,
  settlement: ({ partner_id, id }) => `/settlements/${partner_id}/${id}`,
  reconciliation: ({ partner_id, id }) => `/reconciliations/${partner_id}/${id}`,
  estimate: ({ partner_id, id }) => `/estimates/${partner_id}/${id}`,
  failure: ({ partner_id }) => `/failures?partner=${partner_id}`,
  impact_batch: ({ id }) => `/impact/${id}`,
  operator: () => '/operators',
  project: () => '/impact#projects',
  adjustment: ({ partner_id, id }) => `/adjustments/${partner_id}/${id}`,
};

const KINDS: Readonly<Record<string, Kind>> = {
  stl: 'settlement',
  adj: 'adjustment',
  calc: 'estimate',
  rec: 'reconciliation',
  wep: 'endpoint',
  dlv: 'delivery',
  evt: 'event',
  txn: 'contribution',
  fail: 'failure',
  batch: 'impact_batch',
};

/** What an id of the service names, by its beginning. */
export function kindOfId(id: string): Kind | undefined {
  return KINDS[prefixOfId(id) ?? ''];
}

/** Where the record of a partner is shown that an id names, by its beginning. */
export function pageOfId(partnerId: string, id: string): string | undefined {
  const kind = kindOfId(id);
  return kind && PAGES[kind]({ kind, partner_id: partnerId, id });
}

export function pageOfRecord(record: Named): string {
  return PAGES[record.kind](record);
}
