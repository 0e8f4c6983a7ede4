/** Ids of partners, separated by commas. Those of thousands come from the database and go back to it, and nobody takes them apart. */
export type PartnerIds = string & { readonly separatedBy: ',' };

/** SQL for the array of them. @param parameter Such as `$1`. */
export const partnerIdsIn = (parameter: string): string => `string_to_array(${parameter}, ',')`;

export function joinPartnerIds(ids: readonly string[]): PartnerIds {
  return ids.join(',') as PartnerIds;
}
