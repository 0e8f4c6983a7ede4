/** Every list of the operators' interface in each of its orders with each of its filters, over the rows of `fill-lists.ts`. */
import type { OperatorRoute } from '../../src/operator-api/route.ts';
import { ROUTES } from '../../src/operator-api/routes.ts';

export const partnerId = `ptn_${'7'.padStart(26, '0')}`;
export const settlementId = `stl_01${'15007'.padStart(24, '0')}`;

export const PARAMS = {
  partner_id: partnerId,
  settlement_id: settlementId,
  reconciliation_id: `rec_01${'15007'.padStart(24, '0')}`,
  impact_batch_id: `batch_01${'7'.padStart(24, '0')}`,
  month: new Date().toISOString().slice(0, 7),
};

/** A value of each filter that is no closed list; those of a closed list are all tried. */
const VALUES: Readonly<Record<string, string>> = {
  partner_id: partnerId,
  name: 'partner 1',
  currency: 'SAR',
  period: 'label-100',
  correlation_id: 'corr_of_nothing',
  created_after: '2026-11-01T00:00:00Z',
  created_before: '2026-11-01T00:00:00Z',
  opened_before: '2026-11-01T00:00:00Z',
  since: '2026-11-01T00:00:00Z',
  until: '2026-11-01T00:00:00Z',
  endpoint_id: `wep_01${'7'.padStart(24, '0')}`,
  event_id: `evt_01${'7'.padStart(24, '0')}`,
  event_type: 'impact.transaction.failed',
  project_id: 'prj_none',
  subject_id: 'subject_7',
  operator_id: 'opr_7',
  action: 'action.7',
  job: 'job 7',
  of: 'order-15007',
  country: 'SA',
};
/** What is sent with a filter or an order. */
export const WITH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  settlement_id: { partner_id: partnerId, settlement_id: settlementId },
  payable_amount: { currency: 'SAR' },
};

export interface Member {
  readonly enum?: readonly string[];
}

export type Query = Readonly<Record<string, string>>;

/** Each order by itself, with each filter, and with all of them together. */
export function queriesOf({ query }: OperatorRoute): Query[] {
  const { limit: _, after: __, sort, ...filters } = (query as unknown as { properties: Record<string, Member> }).properties;
  const given = Object.entries(filters).flatMap(([name, member]): Query[] => {
    const values = member.enum ?? [VALUES[name] ?? ''];
    return WITH[name] ? [WITH[name]] : values.map((value) => ({ [name]: value }));
  });
  const together: Query = Object.assign({}, ...given);
  const isNeeded = (query as unknown as { required?: string[] }).required?.includes('partner_id');
  const needed: Query = isNeeded ? { partner_id: partnerId } : {};
  return (sort?.enum ?? []).flatMap((order) =>
    [{}, ...given, ...(given.length > 1 ? [together] : [])].map((filter) => ({
      ...needed,
      ...filter,
      ...WITH[order.replace('-', '')],
      sort: order,
    })),
  );
}

/** What has a page for each order and filter. */
export const LISTS = ROUTES.filter(({ operation, query }) => operation.startsWith('list') && query !== undefined);
