import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

/**
 * `making`: under way, or interrupted. `made`: complete. `stopped`: left as far as it had come. `removed`: the database that held them was
 * replaced by this one.
 */
export type SampleStatus = 'making' | 'made' | 'stopped' | 'removed';

export interface SampleData {
  readonly status: SampleStatus;
  /** The sample data are of the time before. */
  readonly endsAt: Date;
  readonly partnerIds: readonly string[];
  /** Operators of the sample data: no person signs in as one of them. */
  readonly operatorIds: readonly string[];
}

const FIND: Statement = {
  name: 'find_sample_data',
  text: `select status, ends_at as "endsAt", partner_ids as "partnerIds", operator_ids as "operatorIds" from sample_data where is_only`,
};

/** `undefined` in a database without sample data. */
export async function findSampleData(db: Queryable): Promise<SampleData | undefined> {
  const [found] = await run<SampleData & Record<string, unknown>>(db, FIND, []);
  return found;
}

const BEGIN: Statement = {
  name: 'insert_sample_data',
  text: `insert into sample_data (status, ends_at) select 'making', ${NOW}
    where not exists (select from partner) and exists (select from installation where environment = 'sandbox')
    on conflict do nothing`,
};

/** Records that sample data are to be made: once, and only in a sandbox without partners. */
export async function insertSampleData(db: Queryable): Promise<void> {
  await run(db, BEGIN, []);
}

const REMOVED: Statement = {
  name: 'insert_sample_data_removed',
  text: `insert into sample_data (status, ends_at) values ('removed', ${NOW}) on conflict do nothing`,
};

/** Records in a new database that it replaces one with sample data, so that none are made again. */
export async function insertSampleDataRemoved(db: Queryable): Promise<void> {
  await run(db, REMOVED, []);
}

const ADD_PARTNER: Statement = {
  name: 'add_sample_partner',
  text: `update sample_data set partner_ids = partner_ids || $1::text where not $1 = any (partner_ids)`,
};

const ADD_OPERATOR: Statement = {
  name: 'add_sample_operator',
  text: `update sample_data set operator_ids = operator_ids || $1::text where not $1 = any (operator_ids)`,
};

/** Names a partner or an operator as sample data, in the transaction that creates it. */
export async function addToSampleData(db: Queryable, kind: 'partner' | 'operator', id: string): Promise<void> {
  await run(db, kind === 'partner' ? ADD_PARTNER : ADD_OPERATOR, [id]);
}
