import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../domain/access/api-key.ts';
import type { DocsFile, DocsFiles } from './docs-files.ts';

const PROGRAM = fileURLToPath(new URL(`./docs-program${extname(import.meta.url)}`, import.meta.url));

/**
 * Every file of the documentation, made in a process of its own: others are answered meanwhile, and the system has its memory again.
 */
export async function buildDocs(environment: Environment): Promise<DocsFiles> {
  const files = new Map<string, DocsFile>();
  const child = fork(PROGRAM, {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.send(environment);
  child.on('message', ([name, file]: [string, DocsFile]) => files.set(name, file));
  const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  if (code !== 0) throw new Error(`The process that makes the documentation ended with ${signal ?? code}.`);
  return files;
}
