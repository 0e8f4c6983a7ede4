import type { EmissionsLink } from '../domain/association.ts';
import type { Estimate } from '../domain/estimate.ts';
import { findStatement, type Queryable, run, runFind, type Statement } from './database.ts';
import { LINK_COLUMNS, type LinkRow, readLinkRow } from './emissions-link.ts';

export interface EstimateRecord {
  readonly partnerId: string;
  readonly estimate: Estimate;
  readonly idempotencyKey: string;
  /** SHA-256 of the canonical payload. */
  readonly fingerprint: Buffer;
  readonly link: EmissionsLink | null;
  /** The database's clock when the estimate was read: what its expiry is judged by. */
  readonly readAt: Date;
}

export interface EstimateDraft extends Pick<EstimateRecord, 'partnerId' | 'idempotencyKey' | 'fingerprint'> {
  readonly estimate: Omit<Estimate, 'calculatedAt' | 'expiresAt'>;
}

const INSERT: Statement = {
  name: 'insert_estimates',
  text: `insert into estimate (partner_id, calculation_id, idempotency_key, fingerprint, partner_order_ref, distance_km,
      vehicle_category, methodology_version, vehicle_catalog_version, emission_factor_version, emission_factor_gco2e_per_km,
      lifecycle_boundary, raw_emissions_gco2e, estimated_emissions_kgco2e, calculated_at, expires_at)
    select draft.*, date_trunc('milliseconds', now()), date_trunc('milliseconds', now()) + interval '24 hours'
    from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::text[], $11::numeric[], $12::text[], $13::numeric[], $14::numeric[]) as draft
    on conflict do nothing
    returning calculation_id as "calculationId", calculated_at as "calculatedAt", expires_at as "expiresAt"`,
};

export interface EstimateTimes {
  readonly calculatedAt: Date;
  readonly expiresAt: Date;
}

/**
 * Inserts a batch in one statement.
 *
 * @returns The times of each draft that was inserted, by calculation id; one that is missing met a record with its key.
 */
export async function insertEstimates(db: Queryable, drafts: readonly EstimateDraft[]): Promise<Map<string, EstimateTimes>> {
  const column = (value: (draft: EstimateDraft) => unknown) => drafts.map(value);
  const rows = await run<EstimateTimes & { calculationId: string }>(db, INSERT, [
    column((draft) => draft.partnerId),
    column(({ estimate }) => estimate.calculationId),
    column((draft) => draft.idempotencyKey),
    column((draft) => draft.fingerprint),
    column(({ estimate }) => estimate.partnerOrderRef),
    column(({ estimate }) => estimate.distanceKm),
    column(({ estimate }) => estimate.vehicleCategory),
    column(({ estimate }) => estimate.methodologyVersion),
    column(({ estimate }) => estimate.vehicleCatalogVersion),
    column(({ estimate }) => estimate.emissionFactorVersion),
    column(({ estimate }) => estimate.emissionFactorGco2ePerKm),
    column(({ estimate }) => estimate.lifecycleBoundary),
    column(({ estimate }) => estimate.rawEmissionsGco2e),
    column(({ estimate }) => estimate.estimatedEmissionsKgco2e),
  ]);
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
    readAt: row.read_at,
  };
}

const COLUMNS = `e.partner_id, e.calculation_id, e.idempotency_key, e.fingerprint, e.partner_order_ref, e.distance_km,
    e.vehicle_category, e.methodology_version, e.vehicle_catalog_version, e.emission_factor_version,
    e.emission_factor_gco2e_per_km, e.lifecycle_boundary, e.raw_emissions_gco2e, e.estimated_emissions_kgco2e, e.calculated_at, e.expires_at, now()::timestamptz(3) as read_at,
    ${LINK_COLUMNS}`;
const LINK_JOIN = 'left join emissions_link l on l.partner_id = e.partner_id and l.calculation_id = e.calculation_id';

const FIND_BY_ID = findStatement(
  'find_estimates_by_id',
  { table: 'e', parameters: 2 },
  (condition) => `select ${COLUMNS}
    from unnest($1::text[], $2::text[]) as wanted (partner_id, calculation_id)
    join estimate e on e.partner_id = wanted.partner_id and e.calculation_id = wanted.calculation_id${condition} ${LINK_JOIN}`,
);

/** The estimates with the given ids, for any mix of partners, in no order, each with the link it has; unknown ones are left out. */
export async function findEstimatesById(
  db: Queryable,
  wanted: readonly { partnerId: string; calculationId: string }[],
): Promise<EstimateRecord[]> {
  const values = [wanted.map(({ partnerId }) => partnerId), wanted.map(({ calculationId }) => calculationId)];
  return (await runFind<EstimateRow>(db, FIND_BY_ID, wanted, values)).map(readEstimateRow);
}

const FIND_BY_KEY = findStatement(
  'find_estimates_by_key',
  { table: 'e', parameters: 3 },
  (condition) => `select wanted.place, ${COLUMNS}
    from unnest($1::int4[], $2::text[], $3::text[]) as wanted (place, partner_id, idempotency_key)
    join estimate e on e.partner_id = wanted.partner_id and e.idempotency_key = wanted.idempotency_key${condition} ${LINK_JOIN}`,
);

/** For each key the estimate that it made, in their order. */
export async function findEstimatesByKey(
  db: Queryable,
  wanted: readonly { partnerId: string; idempotencyKey: string }[],
): Promise<(EstimateRecord | undefined)[]> {
  const rows = await runFind<EstimateRow & { place: number }>(db, FIND_BY_KEY, wanted, [
    wanted.map((_, place) => place),
    wanted.map(({ partnerId }) => partnerId),
    wanted.map(({ idempotencyKey }) => idempotencyKey),
  ]);
  const byPlace = new Map(rows.map((row) => [row.place, readEstimateRow(row)]));
  return wanted.map((_, place) => byPlace.get(place));
}
