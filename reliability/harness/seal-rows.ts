import { listSealedContributions, updateContributionsUnsealed } from '../../src/store/contributions/contribution-seal.ts';
import type { Database } from '../../src/store/database.ts';

/** As many as the service seals at a time. */
const AT_ONCE = 1_000;

/** Seals contributions that were written by a statement of a script, as the service does when it makes them; else no settlement closes. */
export async function sealRows(database: Database, partnerId: string, transactionIds: readonly string[]): Promise<void> {
  for (let from = 0; from < transactionIds.length; from += AT_ONCE) {
    const rows = await listSealedContributions(database.pool, partnerId, transactionIds.slice(from, from + AT_ONCE));
    const parts = rows.map((row) => ({ contribution: row.contribution, part: database.contributionSeals.begin(row) }));
    await updateContributionsUnsealed(database.pool, partnerId, parts);
  }
}
