/** The command `partner-impact`: the only file that touches the process. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// What Node made of the program at an earlier start is used again; where nothing can be kept, it starts a third slower.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
const { dropUnreadOutput, runCommand } = await import('./commands/program.ts');

dropUnreadOutput();
const code = await runCommand(process.argv.slice(2));
process.exitCode = code === 0 ? (process.exitCode ?? 0) : code;
// The channel to the process that started this one, if any, would keep it alive.
if (process.connected) process.disconnect();
