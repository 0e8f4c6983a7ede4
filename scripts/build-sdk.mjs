// Compiles the SDK into sdk/dist when its source changed since: a test, an example and `npm pack` then find the current one.
// Runs on any Node from 20 on.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeBuildFolder } from './make-build-folder.mjs';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const [SDK, DIST] = [join(REPOSITORY, 'sdk'), join(REPOSITORY, 'sdk/dist')];
const COMPILER = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
/** Beside `dist` and not in it: it is no part of the package. */
const STAMP = join(REPOSITORY, 'node_modules', '.sdk-built');
/** What decides the result besides the source. */
const INPUTS = ['tsconfig.json', 'sdk/tsconfig.json', 'scripts/build-sdk.mjs', 'scripts/make-build-folder.mjs'];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) buildSdk();

/** @returns Whether it compiled. Several at once do no harm: each compiles into a folder of its own. */
export function buildSdk() {
  const wanted = hashSources();
  if (existsSync(join(DIST, 'index.js')) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return false;
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
    rmSync(DIST, { recursive: true, force: true });
    rename(folder);
    writeFileSync(STAMP, wanted);
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

/** Somebody else may have been quicker, with the same source. */
function rename(folder) {
  try {
    renameSync(folder, DIST);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  }
}

function hashSources() {
  const hash = createHash('sha256');
  for (const path of INPUTS) hash.update(readFileSync(join(REPOSITORY, path)));
  const names = readdirSync(join(SDK, 'src'), { recursive: true }).filter((name) => name.endsWith('.ts'));
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(SDK, 'src', name)));
  return hash.digest('hex');
}
