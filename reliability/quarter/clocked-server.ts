import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chooseAccount } from '../../src/embedded-postgres/account.ts';
import { attachOrStart } from '../../src/embedded-postgres/attach-or-start.ts';
import { findBinaries } from '../../src/embedded-postgres/binaries.ts';
import { createCluster } from '../../src/embedded-postgres/cluster.ts';

/**
 * Starts the embedded PostgreSQL of a data folder under a clock of its own; a service that is started on the folder finds it and attaches.
 * It ends with this process.
 *
 * @param environment Passed to the server, which otherwise sees nothing of this process's own.
 * @returns The server's process id.
 */
export async function startClockedServer(dataDirectory: string, environment: Readonly<Record<string, string>>): Promise<number> {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const cluster = join(dataDirectory, 'postgres');
  const binaries = findBinaries(dataDirectory);
  const account = chooseAccount(binaries, cluster);
  await createCluster(cluster, binaries, account);
  const clocked = { ...binaries, environment: { ...binaries.environment, ...environment } };
  const { postmaster } = await attachOrStart({ cluster, binaries: clocked, account, mayStart: true, onProgress: () => {} });
  return postmaster.pid;
}
