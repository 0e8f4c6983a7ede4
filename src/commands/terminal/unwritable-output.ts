import { printError } from './output.ts';

/** The exit code of a shell for a program that SIGPIPE ended (128 + 13). Node ignores that signal and fails the write instead. */
const CLOSED_PIPE = 141;
/** Words are missing for another reason, such as a full disk. */
const INCOMPLETE = 1;

/**
 * A reader such as `head` may leave before the last line, and a disk may be full. The command finishes its work; only its output is
 * dropped. Its exit code says so when the command found no problem.
 */
export function finishWithoutOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.once('error', dropOutput).on('error', () => {});
}

/** Drops what cannot be written, and says nothing of it in the exit code: a service goes on answering. */
export function dropUnwritableOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.off('error', dropOutput).on('error', () => {});
}

function dropOutput(this: NodeJS.WriteStream, { code }: NodeJS.ErrnoException): void {
  process.exitCode ||= code === 'EPIPE' ? CLOSED_PIPE : INCOMPLETE;
  if (code !== 'EPIPE' && this === process.stdout)
    printError(`The output cannot be written (${code}) and is dropped. The command finishes its work.\n`);
}
