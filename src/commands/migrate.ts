import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { openStore } from '../storage.ts';
import { distributeTables, listDistributedTables } from '../store/distribute.ts';
import { migrate } from '../store/migrate.ts';
import { printJson, printProgress } from './output.ts';

interface MigrateOptions {
  readonly distribute?: boolean;
  readonly json?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database up to date; repeatable, and safe while services start')
    .option('--distribute', 'spread the growing tables over the nodes of a Citus cluster, by partner')
    .option('--json', 'one JSON object, for programs')
    .action(bringUpToDate);
}

async function bringUpToDate({ distribute = false, json = false }: MigrateOptions): Promise<void> {
  const config = readConfig(process.env);
  const store = await openStore(config, { onProgress: printProgress });
  try {
    const applied = (await migrate(store.databaseUrl, { isPooled: !config.preparesStatements })).map(({ name }) => name);
    // What a migration adds to a distributed database belongs beside the rest.
    const isWanted = distribute || (await listDistributedTables(store.database)).length > 0;
    const distributed = isWanted ? await distributeTables(store.database) : [];
    if (json) printJson({ applied, ...(isWanted && { distributed }) });
    else printOutcome(applied, isWanted ? distributed : undefined);
  } finally {
    await store.close();
  }
}

function printOutcome(applied: readonly string[], distributed: readonly string[] | undefined): void {
  process.stdout.write(applied.length === 0 ? 'The database is up to date.\n' : `Applied: ${applied.join(', ')}\n`);
  if (distributed === undefined) return;
  process.stdout.write(
    distributed.length === 0 ? 'The tables are distributed already.\n' : `Distributed by partner: ${distributed.join(', ')}\n`,
  );
}
