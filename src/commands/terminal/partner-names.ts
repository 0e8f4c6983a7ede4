import { readNamesOfPartners } from '../../operations/access/read-names-of-partners.ts';
import type { Queryable } from '../../store/database.ts';

/**
 * Reads the names of partners, to print them beside the ids.
 *
 * @returns The form for people: `Example Store (ptn_01M7Y4XR25D7M1W9HKGY1C1RXM)`, or the id alone when no partner has it.
 */
export async function readPartnerNames(db: Queryable, ids: readonly (string | null)[]): Promise<(partnerId: string) => string> {
  const names = await readNamesOfPartners(
    db,
    ids.filter((id) => id !== null),
  );
  return (partnerId) => (names.has(partnerId) ? `${names.get(partnerId)} (${partnerId})` : partnerId);
}
