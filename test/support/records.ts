import { fingerprint } from '../../src/domain/fingerprint.ts';
import type { Database } from '../../src/store/database.ts';
import { uniqueId } from './client.ts';

/** How many rows each growing table has: what a refusal must leave as it was. */
export async function countRows({ pool }: Database): Promise<Record<string, number>> {
  const { rows } = await pool.query(`select (select count(*) from contribution)::int4 as contributions,
    (select count(*) from estimate)::int4 as estimates, (select count(*) from emissions_link)::int4 as links`);
  return rows[0];
}

/** An estimate as if it had been made so long ago, such as `24 hours`: time enters as data. */
export async function insertEstimateAged({ pool }: Database, partnerId: string, orderRef: string, age: string): Promise<string> {
  const calculationId = uniqueId('calc');
  await pool.query(
    `insert into estimate (partner_id, calculation_id, idempotency_key, fingerprint, partner_order_ref, distance_km, vehicle_category,
      methodology_version, vehicle_catalog_version, emission_factor_version, emission_factor_gco2e_per_km, lifecycle_boundary,
      raw_emissions_gco2e, estimated_emissions_kgco2e, calculated_at, expires_at)
    values ($1, $2, $2, $3, $4, '1', 'car_gasoline', 'm', 'v', 'f', 207.51, 'well_to_wheel', 207.51, 0.20751,
      now() - $5::interval, now() - $5::interval + interval '24 hours')`,
    [partnerId, calculationId, fingerprint('test', {}), orderRef, age],
  );
  return calculationId;
}
