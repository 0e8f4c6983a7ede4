/** Rows like those that the service makes, written by SQL: what a column holds, as an expression over a number. */
import type pg from 'pg';
import { supportTexts } from '../../src/domain/customer-texts.ts';
import { estimateEmissions } from '../../src/domain/emissions/calculate-emissions.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { identifierSql } from './identifiers.ts';

export interface RowOptions {
  /** SQL for the partner's id. */
  readonly partner: string;
  readonly token: string;
  /** SQL for the number, a `bigint`. */
  readonly number: string;
  readonly isLinked?: boolean;
}

type Columns = Readonly<Record<string, string>>;

const DISTANCE_METRES = 12_345;
const DISTANCE_KM = '12.345';
const NOW = `date_trunc('milliseconds', now())`;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function fingerprintOf(text: string): string {
  return `sha256(convert_to(${text}, 'UTF8'))`;
}

export function contributionColumns({ partner, token, number, isLinked = false }: RowOptions): Columns {
  const ids = identifierSql(token, number);
  const { summaryEn, summaryAr } = supportTexts(250n, undefined);
  return {
    partner_id: partner,
    transaction_id: ids.transactionId,
    idempotency_key: ids.idempotencyKey,
    fingerprint: fingerprintOf(ids.eventId),
    partner_event_id: ids.eventId,
    partner_order_ref: ids.orderRef,
    points: '250',
    opaque_customer_ref: `'customer-' || lpad((${number} % 100000000)::text, 8, '0')`,
    status: `'confirmed'`,
    first_status: `'confirmed'`,
    contribution_rule_version: quoted(DEFAULT_RULES.contributionRuleVersion),
    point_conversion_version: quoted(DEFAULT_RULES.pointConversionVersion),
    tree_cost_version: quoted(DEFAULT_RULES.treeCostVersion),
    summary_en: quoted(summaryEn),
    summary_ar: quoted(summaryAr),
    calculation_id: isLinked ? ids.calculationId : 'null',
    correlation_id: `replace(${ids.transactionId}, 'txn_', 'corr_')`,
    association_outcome: isLinked ? `'associated'` : `'not_requested'`,
    created_at: NOW,
    confirmed_at: NOW,
    // As long as a seal, and none: nothing closes over these rows.
    seal: `'\\x${'5e'.repeat(32)}'::bytea`,
    seal_key: `'file-00000000'`,
  };
}

/** An estimate for the order of the same number, made now and not linked yet. */
export function estimateColumns({ partner, token, number }: RowOptions): Columns {
  const ids = identifierSql(token, number);
  const emissions = estimateEmissions(DISTANCE_METRES, 'car_gasoline');
  return {
    partner_id: partner,
    calculation_id: ids.calculationId,
    idempotency_key: ids.idempotencyKey,
    fingerprint: fingerprintOf(ids.orderRef),
    partner_order_ref: ids.orderRef,
    distance_km: quoted(DISTANCE_KM),
    vehicle_category: `'car_gasoline'`,
    methodology_version: quoted(emissions.methodologyVersion),
    vehicle_catalog_version: quoted(emissions.vehicleCatalogVersion),
    emission_factor_version: quoted(emissions.emissionFactorVersion),
    emission_factor_gco2e_per_km: emissions.emissionFactorGco2ePerKm,
    lifecycle_boundary: quoted(emissions.lifecycleBoundary),
    raw_emissions_gco2e: emissions.rawEmissionsGco2e,
    estimated_emissions_kgco2e: emissions.estimatedEmissionsKgco2e,
    calculated_at: NOW,
    expires_at: `${NOW} + interval '24 hours'`,
  };
}

export function linkColumns({ partner, token, number }: RowOptions): Columns {
  const ids = identifierSql(token, number);
  const estimate = estimateColumns({ partner, token, number });
  const fromEstimate = ['partner_order_ref', 'estimated_emissions_kgco2e', 'distance_km', 'vehicle_category'];
  const versions = ['methodology_version', 'emission_factor_version', 'calculated_at'];
  return {
    partner_id: partner,
    transaction_id: ids.transactionId,
    association_id: `replace(${ids.transactionId}, 'txn_', 'assoc_')`,
    calculation_id: ids.calculationId,
    ...Object.fromEntries([...fromEstimate, ...versions].map((name) => [name, estimate[name] ?? 'null'])),
    associated_at: NOW,
  };
}

/**
 * The columns that the table of this database has; an older revision may lack some.
 *
 * @throws Error When the table wants a column that nobody here knows of.
 */
export async function fitToTable(pool: pg.Pool, table: string, columns: Columns): Promise<Columns> {
  const { rows } = await pool.query<{ name: string; isWanted: boolean }>(
    `select attname as name, attnotnull and not atthasdef as "isWanted" from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  const unknown = rows.filter(({ name, isWanted }) => isWanted && !(name in columns)).map(({ name }) => name);
  if (unknown.length > 0) throw new Error(`bench/rows/rows.ts does not know what ${table} holds in ${unknown.join(', ')}.`);
  return Object.fromEntries(rows.flatMap(({ name }) => (columns[name] === undefined ? [] : [[name, columns[name]]])));
}

/** @param source What follows the expressions, such as `from generate_series(1, 10) as number`. */
export function insertSelect(table: string, columns: Columns, source: string): string {
  return `insert into ${table} (${Object.keys(columns).join(', ')}) select ${Object.values(columns).join(', ')} ${source}`;
}
