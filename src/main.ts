/** The command `partner-impact`: the only file that touches the process. */
import { dropUnreadOutput, runCommand } from './commands/program.ts';

dropUnreadOutput();
const code = await runCommand(process.argv.slice(2));
process.exitCode = code === 0 ? (process.exitCode ?? 0) : code;
// The channel to a parent process would keep this one alive. It ends by itself here, and not because its parent did.
process.removeAllListeners('disconnect');
if (process.connected) process.disconnect();
