import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { after } from 'node:test';

const MIGRATOR = new URL('../../src/store/schema/migrate.ts', import.meta.url).href;
const MIGRATE = `import { migrate } from ${JSON.stringify(MIGRATOR)}; console.log(JSON.stringify(await migrate(process.argv[1])));`;

/** A process that migrates, prints what it applied, and ends. */
export function startMigrating(databaseUrl: string): ChildProcess & { readonly stdout: Readable } {
  const child = spawn(process.execPath, ['--input-type=module', '-e', MIGRATE, databaseUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => child.kill('SIGKILL'));
  return child;
}
