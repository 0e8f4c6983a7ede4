import type { EmissionsLink } from '../../domain/emissions/association.ts';
import { ESTIMATE_VALID_HOURS, type Estimate } from '../../domain/emissions/estimate.ts';
import {
  type Column,
  insertListed,
  type ListedInsert,
  listsOf,
  NOW,
  namesOf,
  ON_CONFLICT,
  type OnStored,
  unnested,
} from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { rowOf, run, runWanted, type Statement, wantedStatement } from '../query.ts';
import { LINK_COLUMNS, type LinkRow, linkJoin, readLinkRow } from './emissions-link.ts';

export interface EstimateRecord {
  readonly partnerId: string;
  readonly estimate: Estimate;
  readonly idempotencyKey: string;
  /** SHA-256 of the canonical payload. */
  readonly fingerprint: Buffer;
  readonly link: EmissionsLink | null;
  /** `expires_at`; in a sandbox the earlier time that the partner chose. */
  readonly endsAt: Date;
  /** The database's clock when the estimate was read, which decides its expiry. */
  readonly readAt: Date;
}

export interface EstimateDraft extends Pick<EstimateRecord, 'partnerId' | 'idempotencyKey' | 'fingerprint'> {
  readonly estimate: Omit<Estimate, 'calculatedAt' | 'expiresAt'>;
}

const DRAFT_COLUMNS: readonly Column<EstimateDraft>[] = [
  ['partner_id', 'text', (draft) => draft.partnerId],
  ['calculation_id', 'text', ({ estimate }) => estimate.calculationId],
  ['idempotency_key', 'text', (draft) => draft.idempotencyKey],
  ['fingerprint', 'bytea', (draft) => draft.fingerprint],
  ['partner_order_ref', 'text', ({ estimate }) => estimate.partnerOrderRef],
  ['distance_km', 'text', ({ estimate }) => estimate.distanceKm],
  ['vehicle_category', 'text', ({ estimate }) => estimate.vehicleCategory],
  ['methodology_version', 'text', ({ estimate }) => estimate.methodologyVersion],
  ['vehicle_catalog_version', 'text', ({ estimate }) => estimate.vehicleCatalogVersion],
  ['emission_factor_version', 'text', ({ estimate }) => estimate.emissionFactorVersion],
  ['emission_factor_gco2e_per_km', 'numeric', ({ estimate }) => estimate.emissionFactorGco2ePerKm],
  ['lifecycle_boundary', 'text', ({ estimate }) => estimate.lifecycleBoundary],
  ['raw_emissions_gco2e', 'numeric', ({ estimate }) => estimate.rawEmissionsGco2e],
  ['estimated_emissions_kgco2e', 'numeric', ({ estimate }) => estimate.estimatedEmissionsKgco2e],
];

const EXPIRES_AT = `${NOW} + interval '${ESTIMATE_VALID_HOURS} hours'`;
const RETURNING = 'calculation_id as "calculationId", calculated_at as "calculatedAt", expires_at as "expiresAt"';

const insertOf = (onStored: OnStored, name: string): Statement => ({
  name,
  text: `insert into estimate (${namesOf(DRAFT_COLUMNS)}, calculated_at, expires_at)
    select draft.*, ${NOW}, ${EXPIRES_AT} from ${unnested('draft', DRAFT_COLUMNS)}
    ${ON_CONFLICT[onStored]}
    returning ${RETURNING}`,
});

const INSERTS: Readonly<Record<OnStored, Statement>> = {
  skip: insertOf('skip', 'insert_estimates'),
  fail: insertOf('fail', 'insert_new_estimates'),
};

export interface EstimateTimes {
  readonly calculatedAt: Date;
  readonly expiresAt: Date;
}

type InsertedRow = EstimateTimes & { readonly calculationId: string };

/**
 * Inserts a batch in one statement.
 *
 * @returns The times of each inserted draft, by calculation id; for a missing one a record with its key exists.
 * @throws pg.DatabaseError 23505 when such a record exists and `onStored` is `fail`: nothing is inserted then.
 */
export async function insertEstimates(
  db: Queryable,
  drafts: readonly EstimateDraft[],
  onStored: OnStored = 'skip',
): Promise<Map<string, EstimateTimes>> {
  return timesOf(await run<InsertedRow>(db, INSERTS[onStored], listsOf(DRAFT_COLUMNS, drafts)));
}

/** Inserts estimates like {@link insertEstimates}, on a distributed database. */
export async function insertEstimatesListed(
  db: Queryable,
  drafts: readonly EstimateDraft[],
): Promise<Map<string, EstimateTimes>> {
  const estimates: ListedInsert<EstimateDraft> = {
    table: 'estimate',
    columns: DRAFT_COLUMNS,
    computed: () => ({ calculated_at: NOW, expires_at: EXPIRES_AT }),
    onStored: 'skip',
    returning: RETURNING,
  };
  return timesOf(await insertListed<EstimateDraft, InsertedRow>(db, estimates, drafts));
}

function timesOf(rows: readonly InsertedRow[]): Map<string, EstimateTimes> {
  return new Map(rows.map((row) => [row.calculationId, row]));
}

interface EstimateRow extends LinkRow {
  readonly partner_id: string;
  readonly calculation_id: string;
  readonly idempotency_key: string;
  readonly fingerprint: Buffer;
  readonly partner_order_ref: string;
  readonly distance_km: string;
  readonly vehicle_category: Estimate['vehicleCategory'];
  readonly methodology_version: string;
  readonly vehicle_catalog_version: string;
  readonly emission_factor_version: string;
  readonly emission_factor_gco2e_per_km: string;
  readonly lifecycle_boundary: Estimate['lifecycleBoundary'];
  readonly raw_emissions_gco2e: string;
  readonly estimated_emissions_kgco2e: string;
  readonly calculated_at: Date;
  readonly expires_at: Date;
  readonly ends_at: Date;
  readonly read_at: Date;
}

function readEstimateRow(row: EstimateRow): EstimateRecord {
  return {
    partnerId: row.partner_id,
    estimate: {
      calculationId: row.calculation_id,
      partnerOrderRef: row.partner_order_ref,
      status: 'calculated',
      distanceKm: row.distance_km,
      vehicleCategory: row.vehicle_category,
      methodologyVersion: row.methodology_version,
      vehicleCatalogVersion: row.vehicle_catalog_version,
      emissionFactorVersion: row.emission_factor_version,
      emissionFactorGco2ePerKm: row.emission_factor_gco2e_per_km,
      lifecycleBoundary: row.lifecycle_boundary,
      rawEmissionsGco2e: row.raw_emissions_gco2e,
      estimatedEmissionsKgco2e: row.estimated_emissions_kgco2e,
      calculatedAt: row.calculated_at,
      expiresAt: row.expires_at,
    },
    idempotencyKey: row.idempotency_key,
    fingerprint: row.fingerprint,
    link: readLinkRow(row),
    endsAt: row.ends_at,
    readAt: row.read_at,
  };
}

const COLUMNS = `e.partner_id, e.calculation_id, e.idempotency_key, e.fingerprint, e.partner_order_ref, e.distance_km,
    e.vehicle_category, e.methodology_version, e.vehicle_catalog_version, e.emission_factor_version,
    e.emission_factor_gco2e_per_km, e.lifecycle_boundary, e.raw_emissions_gco2e, e.estimated_emissions_kgco2e, e.calculated_at, e.expires_at,
    coalesce(e.ends_at, e.expires_at) as ends_at, ${NOW} as read_at,
    ${LINK_COLUMNS}`;
/** `partnerId` is SQL. */
const withLink = (partnerId: string) => linkJoin('calculation_id', { partnerId, value: 'e.calculation_id' });

const FIND_BY_ID = wantedStatement(
  'find_estimates_by_id',
  2,
  (partnerId) => `select ${COLUMNS} from unnest($1::text[], $2::text[]) as wanted (partner_id, calculation_id)
    cross join lateral ${rowOf('estimate', { partnerId, key: 'calculation_id', value: 'wanted.calculation_id' })} e ${withLink(partnerId)}`,
);

/** The estimates with the given ids, for any mix of partners, in no order, each with the link it has; unknown ones are left out. */
export async function findEstimatesById(
  db: Queryable,
  wanted: readonly { partnerId: string; calculationId: string }[],
): Promise<EstimateRecord[]> {
  const values = [wanted.map(({ partnerId }) => partnerId), wanted.map(({ calculationId }) => calculationId)];
  return (await runWanted<EstimateRow>(db, FIND_BY_ID, wanted, values)).map(readEstimateRow);
}

const FIND_BY_KEY = wantedStatement(
  'find_estimates_by_key',
  3,
  (partnerId) => `select wanted.place, ${COLUMNS}
    from unnest($1::int4[], $2::text[], $3::text[]) as wanted (place, partner_id, idempotency_key)
    cross join lateral ${rowOf('estimate', { partnerId, key: 'idempotency_key', value: 'wanted.idempotency_key' })} e ${withLink(partnerId)}`,
);

/** For each key the estimate that it recorded, in their order. */
export async function findEstimatesByKey(
  db: Queryable,
  wanted: readonly { partnerId: string; idempotencyKey: string }[],
): Promise<(EstimateRecord | undefined)[]> {
  const rows = await runWanted<EstimateRow & { place: number }>(db, FIND_BY_KEY, wanted, [
    wanted.map((_, place) => place),
    wanted.map(({ partnerId }) => partnerId),
    wanted.map(({ idempotencyKey }) => idempotencyKey),
  ]);
  const byPlace = new Map(rows.map((row) => [row.place, readEstimateRow(row)]));
  return wanted.map((_, place) => byPlace.get(place));
}
