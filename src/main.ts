/** The program of the command `partner-impact`: runs the command line, and ends the process with its exit code. */
import { finishWithoutOutput, runCommand } from './commands/program.ts';

finishWithoutOutput();
const code = await runCommand(process.argv.slice(2));
process.exitCode = code === 0 ? (process.exitCode ?? 0) : code;
// The channel to a parent process would keep this one alive. It ends by itself here, and not because its parent did.
process.removeAllListeners('disconnect');
if (process.connected) process.disconnect();
