/** The command line: reads arguments, calls one operation, prints the outcome. Decides nothing. */
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { adjustmentCommand } from './adjustment.ts';
import { auditCommand } from './audit.ts';
import { deliveryCommand } from './delivery.ts';
import { doctorCommand } from './doctor.ts';
import { endpointCommand } from './endpoint.ts';
import { eventCommand } from './event.ts';
import { failureCommand } from './failure.ts';
import { impactBatchCommand } from './impact-batch.ts';
import { jobCommand } from './job.ts';
import { keyCommand } from './key.ts';
import { migrateCommand } from './migrate.ts';
import { operatorCommand } from './operator.ts';
import { UsageError } from './options.ts';
import { partnerCommand } from './partner.ts';
import { projectCommand } from './project.ts';
import { reconciliationCommand } from './reconciliation.ts';
import { reviewCommand } from './review.ts';
import { ruleCommand } from './rule.ts';
import { serveCommand } from './serve.ts';
import { settlementCommand } from './settlement.ts';
import { loginCommand, logoutCommand, whoamiCommand } from './sign-in.ts';
import { statementCommand } from './statement.ts';
import { webhookCommand } from './webhook.ts';

/** What the command found wrong, or could not do. */
const FAILED = 1;
/** What was asked for makes no sense. */
const USAGE = 2;

const COMMANDS = [
  serveCommand,
  migrateCommand,
  doctorCommand,
  partnerCommand,
  keyCommand,
  ruleCommand,
  reviewCommand,
  failureCommand,
  endpointCommand,
  eventCommand,
  deliveryCommand,
  webhookCommand,
  settlementCommand,
  statementCommand,
  reconciliationCommand,
  loginCommand,
  logoutCommand,
  whoamiCommand,
  operatorCommand,
  auditCommand,
  jobCommand,
  adjustmentCommand,
  projectCommand,
  impactBatchCommand,
];

/** @returns The exit code: 0, {@link FAILED} or {@link USAGE}. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const program = new Command('partner-impact')
    .description('Records loyalty-points contributions exactly once and estimates delivery emissions, for partners.')
    .showHelpAfterError('(--help shows all options)')
    .exitOverride();
  for (const makeCommand of COMMANDS) program.addCommand(makeCommand());
  inherit(program);
  try {
    await program.parseAsync(args as string[], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return explain(error);
  }
}

/** Commands made apart do not take over their parent's way of ending. */
function inherit(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inherit(command);
  }
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  process.stderr.write(`${(error as Error).message}\n`);
  return error instanceof ConfigError || error instanceof UsageError ? USAGE : FAILED;
}
