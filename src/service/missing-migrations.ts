import type { MigrationState } from '../store/schema/migrate.ts';

const NAMED_MAX = 3;

/** The first three migrations that a database lacks, and how many more they are. */
export function nameMissing({ pending }: MigrationState): string {
  const named = pending.slice(0, NAMED_MAX).join(', ');
  return pending.length > NAMED_MAX ? `${named} and ${pending.length - NAMED_MAX} more` : named;
}
