import { readConfig } from '../config.ts';
import { requireRole } from '../operations/with-role.ts';
import { openStore, requireEnvironment } from '../service/open-database.ts';
import type { Database } from '../store/database.ts';
import { findEnvironment } from '../store/installation.ts';
import { distributeTables, listDistributedTables } from '../store/schema/distribute.ts';
import { type MigrationState, migrate, readMigrationState } from '../store/schema/migrate.ts';
import { printJson, printNotice, printProgress, printText } from './terminal/output.ts';
import { ProgramCommand } from './terminal/program-command.ts';
import { findSignedIn } from './terminal/signed-in.ts';
import { withoutOperator } from './terminal/with-operator.ts';

interface MigrateOptions {
  readonly distribute?: boolean;
  readonly json?: boolean;
}

export function migrateCommand(): ProgramCommand {
  return new ProgramCommand('migrate')
    .description('apply missing migrations; repeatable, and safe while services run')
    .option(
      '--distribute',
      'distribute the growing tables over the nodes of a Citus cluster, by partner; confirmations get 503 meanwhile',
    )
    .option('--json', 'one JSON object, for programs')
    .action(
      withoutOperator('a deployment migrates as it starts the service; a signed-in operator needs the role admin', bringUpToDate),
    );
}

async function bringUpToDate({ distribute = false, json = false }: MigrateOptions): Promise<void> {
  const config = readConfig(process.env);
  const store = await openStore(config, { createsDatabase: true, onProgress: printProgress });
  try {
    requireEnvironment(await findEnvironment(store.database.pool), config);
    const state = await readMigrationState(store.database.pool);
    if (state.isEmpty) printNotice('This database is empty: no release was here.');
    await requireMigrator(store.database, state);
    const { databaseUrl } = store;
    const session = { isPooled: !config.preparesStatements };
    const migrated = await migrate(databaseUrl, { ...session, onWait: printProgress });
    const applied = migrated.map(({ name }) => name);
    // Tables that a migration adds to a distributed database have to be distributed too.
    const isWanted = distribute || (await listDistributedTables(store.database)).length > 0;
    const distributed = isWanted ? await distributeTables(databaseUrl, session) : [];
    if (json) printJson({ applied, ...(isWanted && { distributed }) });
    else printOutcome(applied, isWanted ? distributed : undefined);
  } finally {
    await store.close();
  }
}

/** The first schema with operators. */
const OPERATORS = '0004_operators';

/**
 * A deployment migrates without a sign-in, because starting the service migrates too. A signed-in operator must be an admin; the tables
 * that this check reads exist since the first schema with operators.
 */
async function requireMigrator(database: Database, { pending }: MigrationState): Promise<void> {
  if (pending.includes(OPERATORS)) return;
  // Before the first start there is no operator who could be signed in.
  if ((await findEnvironment(database.pool)) === undefined) return;
  const signedIn = await findSignedIn(database);
  if (signedIn) requireRole(signedIn.actor, 'admin');
}

function printOutcome(applied: readonly string[], distributed: readonly string[] | undefined): void {
  printText(applied.length === 0 ? 'The database is up to date.\n' : `Applied: ${applied.join(', ')}\n`);
  if (distributed === undefined) return;
  printText(
    distributed.length === 0 ? 'The tables are distributed already.\n' : `Distributed by partner: ${distributed.join(', ')}\n`,
  );
}
