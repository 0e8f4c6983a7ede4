import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The flags that the command of a checkout gives to Node: what is tried and measured runs as an operator runs it. */
export function readNodeFlags(repository: string): string[] {
  const [firstLine = ''] = readFileSync(join(repository, 'bin/partner-impact.mjs'), 'utf8').split('\n', 1);
  return firstLine.split(' ').filter((word) => word.startsWith('--'));
}
