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

export function joinPartnerIds(ids: readonly string[]): PartnerIds {
  return ids.join(',') as PartnerIds;
}
