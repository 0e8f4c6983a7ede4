import type { components } from '../api/operator-types.ts';

type FoundRecord = components['schemas']['FoundRecord'];
type Kind = FoundRecord['kind'];

/** Where a record of a kind is shown; `undefined` while it has no page of its own. */
const PAGES: Partial<Readonly<Record<Kind, (record: FoundRecord) => string>>> = {
  endpoint: ({ partner_id, id }) => `/webhooks/${partner_id}/${id}`,
  delivery: ({ partner_id, id }) => `/webhooks/${partner_id}/deliveries/${id}`,
  settlement: ({ partner_id, id }) => `/settlements/${partner_id}/${id}`,
  reconciliation: ({ partner_id, id }) => `/reconciliations/${partner_id}/${id}`,
  adjustment: ({ partner_id, id }) => `/adjustments/${partner_id}/${id}`,
};

export function pageOfRecord(record: FoundRecord): string | undefined {
  return PAGES[record.kind]?.(record);
}
