import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The flags that the command of a checkout gives to the Node of a service: what is tried and measured runs as an operator runs it. */
export function readNodeFlags(repository: string): string[] {
  const command = readFileSync(join(repository, 'bin/partner-impact.mjs'), 'utf8');
  const [firstLine = ''] = command.split('\n', 1);
  const [, serveFlag] = /^const SERVE_FLAG = '(.+)';$/m.exec(command) ?? [];
  return [...firstLine.split(' ').filter((word) => word.startsWith('--')), ...(serveFlag === undefined ? [] : [serveFlag])];
}
