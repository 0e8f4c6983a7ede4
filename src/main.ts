/** The command `partner-impact`: the only file that touches the process. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// What Node made of the program at an earlier start is used again; where nothing can be kept, it starts a third slower.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
const { runCommand } = await import('./commands/program.ts');

/** What a shell says of a program that SIGPIPE ended (128 + 13). Node ignores that signal and fails the write instead. */
const CLOSED_PIPE = 141;

// A reader such as `head` may leave before the last line. What the command does is done to its end all the same; only its
// output is dropped.
for (const stream of [process.stdout, process.stderr]) stream.on('error', dropOutput);

const code = await runCommand(process.argv.slice(2));
process.exitCode = code === 0 ? (process.exitCode ?? 0) : code;
// The channel to the process that started this one, if any, would keep it alive.
if (process.connected) process.disconnect();

function dropOutput(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exitCode ||= CLOSED_PIPE;
}
