import type { EmissionsLink } from '../../domain/emissions/association.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import { rowOf, run, type Statement } from '../query.ts';

/** For statements that read a contribution's link, under the alias `l`. */
export const LINK_COLUMNS = `l.association_id as link_association_id, l.transaction_id as link_transaction_id,
    l.calculation_id as link_calculation_id, l.partner_order_ref as link_partner_order_ref,
    l.estimated_emissions_kgco2e as link_estimated_emissions_kgco2e, l.distance_km as link_distance_km,
    l.vehicle_category as link_vehicle_category, l.methodology_version as link_methodology_version,
    l.emission_factor_version as link_emission_factor_version, l.calculated_at as link_calculated_at,
    l.associated_at as link_associated_at`;

/**
 * Joins the link `l`, if there is one.
 *
 * @param key Of the link, beside the partner. `partnerId` and `value` are SQL.
 */
export function linkJoin(
  key: 'transaction_id' | 'calculation_id',
  { partnerId, value }: { partnerId: string; value: string },
): string {
  return `left join lateral ${rowOf('emissions_link', { partnerId, key, value })} l on true`;
}

export interface LinkRow {
  readonly link_association_id: string | null;
  readonly link_transaction_id: string;
  readonly link_calculation_id: string;
  readonly link_partner_order_ref: string;
  readonly link_estimated_emissions_kgco2e: string;
  readonly link_distance_km: string;
  readonly link_vehicle_category: EmissionsLink['vehicleCategory'];
  readonly link_methodology_version: string;
  readonly link_emission_factor_version: string;
  readonly link_calculated_at: Date;
  readonly link_associated_at: Date;
}

/** `null` when the outer join found no link. */
export function readLinkRow(row: LinkRow): EmissionsLink | null {
  if (row.link_association_id === null) return null;
  return {
    associationId: row.link_association_id,
    transactionId: row.link_transaction_id,
    calculationId: row.link_calculation_id,
    partnerOrderRef: row.link_partner_order_ref,
    estimatedEmissionsKgco2e: row.link_estimated_emissions_kgco2e,
    distanceKm: row.link_distance_km,
    vehicleCategory: row.link_vehicle_category,
    methodologyVersion: row.link_methodology_version,
    emissionFactorVersion: row.link_emission_factor_version,
    calculatedAt: row.link_calculated_at,
    associatedAt: row.link_associated_at,
  };
}

/** A link that an association call made carries that call's key. */
export interface KeyedLink {
  readonly partnerId: string;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly link: EmissionsLink;
}

export interface LinkDraft extends Omit<KeyedLink, 'link' | 'idempotencyKey' | 'fingerprint'> {
  /** `null` when a confirmation makes the link: the contribution carries its key. */
  readonly idempotencyKey: string | null;
  readonly fingerprint: Buffer | null;
  readonly link: Omit<EmissionsLink, 'associatedAt'>;
}

const INSERT: Statement = {
  name: 'insert_emissions_link',
  text: `insert into emissions_link (partner_id, transaction_id, association_id, calculation_id, idempotency_key, fingerprint,
      partner_order_ref, estimated_emissions_kgco2e, distance_km, vehicle_category, methodology_version,
      emission_factor_version, calculated_at, associated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, ${NOW})
    on conflict do nothing returning associated_at as "associatedAt"`,
};

/**
 * @returns When the link was made; `undefined` when the contribution, the estimate or the key has a link already. The unique keys make
 * this exact under races.
 */
export async function insertEmissionsLink(
  db: Queryable,
  { partnerId, idempotencyKey, fingerprint, link }: LinkDraft,
): Promise<Date | undefined> {
  const [row] = await run<{ associatedAt: Date }>(db, INSERT, [
    partnerId,
    link.transactionId,
    link.associationId,
    link.calculationId,
    idempotencyKey,
    fingerprint,
    link.partnerOrderRef,
    link.estimatedEmissionsKgco2e,
    link.distanceKm,
    link.vehicleCategory,
    link.methodologyVersion,
    link.emissionFactorVersion,
    link.calculatedAt,
  ]);
  return row?.associatedAt;
}

const FIND_BY_KEY = durableRead({
  name: 'find_emissions_link_by_key',
  text: `select l.fingerprint, ${LINK_COLUMNS} from ${rowOf('emissions_link', { partnerId: '$1', key: 'idempotency_key', value: '$2' })} l`,
});

export async function findEmissionsLinkByKey(
  db: Queryable,
  partnerId: string,
  idempotencyKey: string,
): Promise<KeyedLink | undefined> {
  const [row] = await run<LinkRow & { fingerprint: Buffer }>(db, FIND_BY_KEY, [partnerId, idempotencyKey]);
  const link = row && readLinkRow(row);
  return link ? { partnerId, idempotencyKey, fingerprint: row.fingerprint, link } : undefined;
}
