/** The command `partner-impact`: the only file that touches the process. */
import { runCommand } from './commands/program.ts';

process.exitCode = await runCommand(process.argv.slice(2));
