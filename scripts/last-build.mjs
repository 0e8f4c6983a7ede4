// What was built last, and whether it is still current. Runs on any Node from 20 on.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
/** What decides every result besides its source. */
const OWN_INPUTS = ['scripts/last-build.mjs', 'scripts/make-build-folder.mjs'];

/**
 * The folder `dist` of a package of this repository, which is built from its folder `src`.
 *
 * @param parent The folder of the package.
 * @param entry A file that every build has.
 * @param inputs The files that decide the result besides the source.
 */
export function lastBuild({ parent, entry, inputs }) {
  const [folder, dist] = [join(REPOSITORY, parent), join(REPOSITORY, parent, 'dist')];
  // Beside `dist` and not in it: what stands there is served, or belongs to the package.
  const stamp = join(REPOSITORY, 'node_modules', `.${parent}-built`);
  const wanted = hashSources(join(folder, 'src'), [...inputs, ...OWN_INPUTS]);
  return {
    isCurrent: () => existsSync(join(dist, entry)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted,
    /** Puts a new build in its place. */
    replaceBy(built) {
      rmSync(dist, { recursive: true, force: true });
      rename(built, dist);
      writeFileSync(stamp, wanted);
    },
  };
}

/** Somebody else may have been quicker, with the same source. */
function rename(built, dist) {
  try {
    renameSync(built, dist);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  }
}

function hashSources(source, inputs) {
  const hash = createHash('sha256');
  for (const path of inputs) hash.update(readFileSync(join(REPOSITORY, path)));
  const names = readdirSync(source, { recursive: true }).filter((name) => statSync(join(source, name)).isFile());
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(source, name)));
  return hash.digest('hex');
}
