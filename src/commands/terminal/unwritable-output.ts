/** The exit code of a shell for a program that SIGPIPE ended (128 + 13). Node ignores that signal and fails the write instead. */
const CLOSED_PIPE = 141;

/**
 * A reader such as `head` may leave before the last line. The command finishes its work; only its output is dropped. Its exit code says
 * so when the command found no problem.
 */
export function dropUnreadOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', dropOutput);
}

/** Drops what cannot be written, for whatever reason, such as a full disk: a service goes on answering. */
export function dropUnwritableOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.off('error', dropOutput).on('error', () => {});
}

function dropOutput(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exitCode ||= CLOSED_PIPE;
}
