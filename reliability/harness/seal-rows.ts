import { listSealedContributions, updateContributionsUnsealed } from '../../src/store/contributions/contribution-seal.ts';
import type { Database } from '../../src/store/database.ts';

/** Seals contributions that were written by a statement of a script, as the service does when it makes them; else no settlement closes. */
export async function sealRows(database: Database, partnerId: string, transactionIds: readonly string[]): Promise<void> {
  const rows = await listSealedContributions(database.pool, partnerId, transactionIds);
  const parts = rows.map((row) => ({ contribution: row.contribution, part: database.contributionSeals.begin(row) }));
  await updateContributionsUnsealed(database.pool, partnerId, parts);
}
