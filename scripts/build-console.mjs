// Builds the console into console/dist when its source changed since, with the compressed files beside. Runs under Node 24, which
// scripts/prepare.mjs provides.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { lastBuild } from './last-build.mjs';
import { makeBuildFolder } from './make-build-folder.mjs';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const CONSOLE = join(REPOSITORY, 'console');
/** What decides the result besides the source: the packages, the types, and how it is built. */
const INPUTS = ['package-lock.json', 'console/index.html', 'console/package.json', 'scripts/build-console.mjs'];
/** A file that shrinks by less is sent as it is. */
const SAVED_BYTES_MIN = 200;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildConsole();

/** @returns Whether it was built. Several at once do no harm: each builds into a folder of its own. */
export async function buildConsole() {
  const last = lastBuild({ parent: 'console', entry: 'index.html', inputs: INPUTS });
  if (last.isCurrent()) return false;
  // An installation without development packages cannot build it.
  if (!existsSync(join(REPOSITORY, 'node_modules', 'vite'))) return false;
  process.stderr.write('Building the console (only when it changes) …\n');
  const startedAt = Date.now();
  const folder = makeBuildFolder(CONSOLE);
  try {
    await bundle(folder);
    await compress(join(folder, 'assets'));
    // Somebody serves what another one built meanwhile.
    if (last.isCurrent()) return false;
    last.replaceBy(folder);
    process.stderr.write(`Built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.\n`);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(outDir) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: CONSOLE,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // Inlined files would need `data:` in the policy for more than images.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1_000,
      // Packages mark what a server must not render; nothing is rendered on a server here.
      rolldownOptions: { onLog: (level, log, next) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && next(level, log) },
    },
  });
}

async function compress(folder) {
  const names = readdirSync(folder).filter((name) => /\.(?:js|css|svg)$/.test(name));
  const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const body = readFileSync(path);
      const br = await toBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } });
      const gz = await toGzip(body, { level: 9 });
      if (br.length + SAVED_BYTES_MIN < body.length) writeFileSync(`${path}.br`, br);
      if (gz.length + SAVED_BYTES_MIN < body.length) writeFileSync(`${path}.gz`, gz);
    }),
  );
}
