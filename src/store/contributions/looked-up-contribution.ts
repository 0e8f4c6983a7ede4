import type { Contribution } from '../../domain/contributions/contribution.ts';
import type { EmissionsLink } from '../../domain/emissions/association.ts';
import type { RejectionCode } from '../../domain/emissions/association-refusals.ts';
import type { Queryable } from '../database.ts';
import { LINK_COLUMNS, type LinkRow, linkJoin, readLinkRow } from '../emissions/emissions-link.ts';
import { rowOf, rowOfName, runWanted, wantedStatement } from '../query.ts';

/** What a partner's look-up is answered from. */
export interface LookedUpContribution {
  readonly partnerId: string;
  readonly contribution: Contribution;
  /** The estimate that the request named, when the id was well formed. */
  readonly calculationId: string | null;
  readonly rejectionCode: RejectionCode | null;
  /** The link as of now, made by the confirmation or later. */
  readonly link: EmissionsLink | null;
}

export interface LookedUpRow {
  readonly transaction_id: string;
  readonly partner_event_id: string;
  readonly partner_order_ref: string;
  readonly points: bigint;
  readonly opaque_customer_ref: string | null;
  readonly status: Contribution['status'];
  readonly contribution_rule_version: string;
  readonly point_conversion_version: string;
  readonly tree_cost_version: string;
  readonly summary_en: string;
  readonly summary_ar: string;
  readonly calculation_id: string | null;
  readonly rejection_code: RejectionCode | null;
  readonly created_at: Date;
  readonly confirmed_at: Date | null;
  readonly failed_at: Date | null;
}

export function readContribution(row: LookedUpRow): Contribution {
  return {
    transactionId: row.transaction_id,
    partnerEventId: row.partner_event_id,
    partnerOrderRef: row.partner_order_ref,
    status: row.status,
    points: row.points,
    opaqueCustomerRef: row.opaque_customer_ref,
    contributionRuleVersion: row.contribution_rule_version,
    pointConversionVersion: row.point_conversion_version,
    treeCostVersion: row.tree_cost_version,
    expectedEnvironmentalSupport: { summaryEn: row.summary_en, summaryAr: row.summary_ar },
    createdAt: row.created_at,
    confirmedAt: row.confirmed_at,
    failedAt: row.failed_at,
  };
}

/** SQL: the columns of `contribution c` that a look-up reads. */
export const CONTRIBUTION_COLUMNS = `c.transaction_id, c.partner_event_id, c.partner_order_ref, c.points, c.opaque_customer_ref, c.status,
    c.contribution_rule_version, c.point_conversion_version, c.tree_cost_version, c.summary_en, c.summary_ar, c.calculation_id,
    c.rejection_code, c.created_at, c.confirmed_at, c.failed_at`;

/** `partnerId` is SQL, as is in each statement. */
export const withLink = (partnerId: string) => linkJoin('transaction_id', { partnerId, value: 'c.transaction_id' });

/** There are many look-ups at once: the statement reads no column that their answers do not need. */
const lookUpBy = (name: string, key: 'partner_event_id' | 'transaction_id', row: typeof rowOf) =>
  wantedStatement(
    name,
    2,
    (partnerId) => `select wanted.place::int4 as place, ${CONTRIBUTION_COLUMNS},
      ${LINK_COLUMNS}
    from unnest($1::text[], $2::text[]) with ordinality as wanted (partner_id, ${key}, place)
    cross join lateral ${row('contribution', { partnerId, key, value: `wanted.${key}` })} c ${withLink(partnerId)}`,
  );
const LOOK_UP_BY_EVENT = lookUpBy('look_up_contributions_by_event', 'partner_event_id', rowOfName);
const LOOK_UP_BY_ID = lookUpBy('look_up_contributions_by_id', 'transaction_id', rowOf);

interface PlacedRow extends LookedUpRow, LinkRow {
  /** The number of the look-up among those of the statement, from 1. */
  readonly place: number;
}

/** For each event its contribution, if there is one, for any mix of partners. */
export async function lookUpContributionsByEvent(
  db: Queryable,
  wanted: readonly { readonly partnerId: string; readonly partnerEventId: string }[],
): Promise<(LookedUpContribution | undefined)[]> {
  const values = [wanted.map(({ partnerId }) => partnerId), wanted.map(({ partnerEventId }) => partnerEventId)];
  return inPlace(wanted, await runWanted<PlacedRow>(db, LOOK_UP_BY_EVENT, wanted, values));
}

/** For each transaction id its contribution, if there is one, for any mix of partners. */
export async function lookUpContributionsById(
  db: Queryable,
  wanted: readonly { readonly partnerId: string; readonly transactionId: string }[],
): Promise<(LookedUpContribution | undefined)[]> {
  const values = [wanted.map(({ partnerId }) => partnerId), wanted.map(({ transactionId }) => transactionId)];
  return inPlace(wanted, await runWanted<PlacedRow>(db, LOOK_UP_BY_ID, wanted, values));
}

function inPlace(
  wanted: readonly { readonly partnerId: string }[],
  rows: readonly PlacedRow[],
): (LookedUpContribution | undefined)[] {
  const found = wanted.map((): LookedUpContribution | undefined => undefined);
  for (const row of rows) {
    const index = row.place - 1;
    const { partnerId } = wanted[index] as { partnerId: string };
    found[index] = {
      partnerId,
      contribution: readContribution(row),
      calculationId: row.calculation_id,
      rejectionCode: row.rejection_code,
      link: readLinkRow(row),
    };
  }
  return found;
}
