/** What a shell says of a program that SIGPIPE ended (128 + 13). Node ignores that signal and fails the write instead. */
const CLOSED_PIPE = 141;

/**
 * A reader such as `head` may leave before the last line. What the command does is done to its end all the same; only its
 * output is dropped, and the exit code of a command that found nothing wrong says so.
 */
export function dropUnreadOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', dropOutput);
}

function dropOutput(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exitCode ||= CLOSED_PIPE;
}
