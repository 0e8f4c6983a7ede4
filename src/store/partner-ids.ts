import type pg from 'pg';
import type { Queryable } from './database.ts';
import { run, type Statement } from './query.ts';

/** Ids of partners, separated by commas. Those of thousands come from the database and go back to it, and nobody takes them apart. */
export type PartnerIds = string & { readonly separatedBy: ',' };

/** SQL for the array of them. @param parameter Such as `$1`. */
export const partnerIdsIn = (parameter: string): string => `string_to_array(${parameter}, ',')`;

/**
 * SQL of every partner, as `p`, to look up what each has in the same statement. The table of the counters has a row of every partner, and
 * on a distributed database it stands where the partner's records do.
 */
export const EVERY_PARTNER = 'event_counter p';

/** The same of these partners. */
export const partnersIn = (parameter: string): string =>
  `(select partner_id from event_counter where partner_id = any (${partnerIdsIn(parameter)})) p`;

/**
 * The same of one partner, whom a statement of {@link partnersIn} has as its text: the planner sees the partner in place of its `p`, so that
 * a distributed database asks the partner's node alone.
 */
const partnerIn = (parameter: string): string => `(select ${parameter}::text as partner_id) p`;

/** A statement of {@link partnersIn}, and that of one partner. */
export interface ForPartners {
  readonly ofSeveral: Statement;
  readonly ofOne: Statement;
}

/** @param write Writes the text, given SQL of the partners whom `$1` names, as `p`. */
export function forPartners(name: string, write: (partners: string) => string): ForPartners {
  return {
    ofSeveral: { name, text: write(partnersIn('$1')) },
    ofOne: { name: `${name}_of_one`, text: write(partnerIn('$1')) },
  };
}

export async function runForPartners<Row extends pg.QueryResultRow>(
  db: Queryable,
  { ofSeveral, ofOne }: ForPartners,
  [partnerIds, ...values]: [PartnerIds, ...unknown[]],
): Promise<Row[]> {
  return run<Row>(db, partnerIds.includes(',') ? ofSeveral : ofOne, [partnerIds, ...values]);
}

export function joinPartnerIds(ids: readonly string[]): PartnerIds {
  return ids.join(',') as PartnerIds;
}
