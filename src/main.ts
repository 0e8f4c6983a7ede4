/** The command `partner-impact`: the only file that touches the process. */
import { runCommand } from './commands/program.ts';

process.exitCode = await runCommand(process.argv.slice(2));
// The channel to the process that started this one, if any, would keep it alive.
if (process.connected) process.disconnect();
