// Compiles the SDK into sdk/dist when its source changed since: a test, an example and `npm pack` then find the current one.
// Runs on any Node from 20 on.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { lastBuild } from './last-build.mjs';
import { makeBuildFolder } from './make-build-folder.mjs';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const SDK = join(REPOSITORY, 'sdk');
const COMPILER = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
/** What decides the result besides the source. */
const INPUTS = ['tsconfig.json', 'sdk/tsconfig.json', 'scripts/build-sdk.mjs'];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) buildSdk();

/** @returns Whether it compiled. Several at once do no harm: each compiles into a folder of its own. */
export function buildSdk() {
  const last = lastBuild({ parent: 'sdk', entry: 'index.js', inputs: INPUTS });
  if (last.isCurrent()) return false;
  // An installation without development packages runs the service, which does not need the SDK.
  if (!existsSync(COMPILER)) return false;
  const folder = makeBuildFolder(SDK);
  try {
    const { status, stdout, error } = spawnSync(process.execPath, [COMPILER, '-p', SDK, '--outDir', folder], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`The SDK does not compile.\n${stdout ?? ''}${error?.message ?? ''}`);
    nameCompiledFiles(folder);
    chmodSync(join(folder, 'command', 'main.js'), 0o755);
    last.replaceBy(folder);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The compiler rewrites `./name.ts` to `./name.js` in programs and leaves it in declarations. */
function nameCompiledFiles(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    if (name.endsWith('.d.ts')) writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}
