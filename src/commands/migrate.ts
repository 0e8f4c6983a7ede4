import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { openStore } from '../storage.ts';
import { migrate } from '../store/migrate.ts';
import { printJson, printProgress } from './output.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database up to date; repeatable, and safe while services start')
    .option('--json', 'one JSON object, for programs')
    .action(bringUpToDate);
}

async function bringUpToDate({ json }: { json?: boolean }): Promise<void> {
  const store = await openStore(readConfig(process.env), { onProgress: printProgress });
  try {
    const applied = (await migrate(store.databaseUrl)).map(({ name }) => name);
    if (json) return printJson({ applied });
    process.stdout.write(applied.length === 0 ? 'The database is up to date.\n' : `Applied: ${applied.join(', ')}\n`);
  } finally {
    await store.close();
  }
}
