import { accessSync, constants } from 'node:fs';
import module from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The launcher sets this once: it starts the program again. The exit code asks it to, where a process cannot replace itself. */
const RESTARTABLE = 'PARTNER_IMPACT_RESTARTABLE';
const RESTART_CODE = 75;

/** Node's own program that strips types. */
const STRIPPER = 'NativeModule internal/deps/amaro/dist/index';

/**
 * Starts `serve` again when Node had to strip types to load it, as at the first start of a release. What strips them stays in memory, some
 * 50 MB, for as long as the process runs; the next start finds everything in the compile cache. Without a cache that can be written nothing
 * would be gained, and the process goes on.
 *
 * @see docs/decisions/0037-settings-of-node.md#decision; bin/partner-impact.mjs.
 */
export async function restartCompiled(): Promise<void> {
  const isRestartable = process.env[RESTARTABLE] !== undefined;
  delete process.env[RESTARTABLE];
  if (!isRestartable || !hasStripped() || !hasWritableCache()) return;
  await Promise.all(loadAll());
  module.flushCompileCache();
  // It takes a second or more. A signal that came meanwhile ends the start.
  await nextTurn();
  if (process.channel) process.exit(RESTART_CODE);
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)]);
}

/** What `serve` loads, in one process and in several. */
function loadAll(): Promise<unknown>[] {
  return [import('../start-service.ts'), import('./worker-processes.ts'), import('../../operator-api/app.ts')];
}

function hasWritableCache(): boolean {
  const folder = module.getCompileCacheDir();
  if (folder === undefined) return false;
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function hasStripped(): boolean {
  const { moduleLoadList = [] } = process as { readonly moduleLoadList?: readonly string[] };
  return moduleLoadList.includes(STRIPPER);
}
