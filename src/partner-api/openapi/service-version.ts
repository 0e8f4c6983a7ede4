import { readFileSync } from 'node:fs';

/** The version of the service, as `partner-impact --version` prints it. */
export function readServiceVersion(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
