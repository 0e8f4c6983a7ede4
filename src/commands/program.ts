/** The command line reads arguments, calls one operation and prints the outcome. It decides nothing. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { actByBreakGlass } from './terminal/break-glass.ts';
import { errorToWire, isMistake, messageOf } from './terminal/error-to-wire.ts';
import { printError, printErrorJson, printText, setForProgram } from './terminal/output.ts';
import { ProgramCommand } from './terminal/program-command.ts';

export { finishWithoutOutput } from './terminal/unwritable-output.ts';

/** The command found a problem, or could not do its work. */
const FAILED = 1;
/** A mistake in the words, a value, a file or the settings of a command. */
const USAGE = 2;

/** The modules of a command are loaded when it is called. */
const COMMANDS: Readonly<Record<string, () => Promise<ProgramCommand>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  partner: async () => (await import('./access/partner.ts')).partnerCommand(),
  key: async () => (await import('./access/key.ts')).keyCommand(),
  rule: async () => (await import('./rules/rule.ts')).ruleCommand(),
  review: async () => (await import('./contributions/review.ts')).reviewCommand(),
  failure: async () => (await import('./contributions/failure.ts')).failureCommand(),
  endpoint: async () => (await import('./webhooks/endpoint.ts')).endpointCommand(),
  event: async () => (await import('./events/event.ts')).eventCommand(),
  delivery: async () => (await import('./webhooks/delivery.ts')).deliveryCommand(),
  webhook: async () => (await import('./webhooks/webhook.ts')).webhookCommand(),
  rehearse: async () => (await import('./sandbox/rehearse.ts')).rehearseCommand(),
  settlement: async () => (await import('./settlements/settlement.ts')).settlementCommand(),
  statement: async () => (await import('./settlements/statement.ts')).statementCommand(),
  reconciliation: async () => (await import('./reconciliations/reconciliation.ts')).reconciliationCommand(),
  login: async () => (await import('./access/sign-in.ts')).loginCommand(),
  logout: async () => (await import('./access/sign-in.ts')).logoutCommand(),
  whoami: async () => (await import('./access/sign-in.ts')).whoamiCommand(),
  operator: async () => (await import('./access/operator.ts')).operatorCommand(),
  audit: async () => (await import('./audit/audit.ts')).auditCommand(),
  verify: async () => (await import('./audit/verify.ts')).verifyCommand(),
  attest: async () => (await import('./audit/attest.ts')).attestCommand(),
  job: async () => (await import('./job.ts')).jobCommand(),
  adjustment: async () => (await import('./adjustments/adjustment.ts')).adjustmentCommand(),
  project: async () => (await import('./impact/project.ts')).projectCommand(),
  demo: async () => (await import('./sandbox/demo.ts')).demoCommand(),
  'impact-batch': async () => (await import('./impact/impact-batch.ts')).impactBatchCommand(),
};

/**
 * Runs one command. Commands that run one after another in the same process share no state.
 *
 * @returns The exit code: 0, {@link FAILED} or {@link USAGE}.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  actByBreakGlass(undefined);
  setForProgram(wantsJson(args));
  const program = new ProgramCommand('partner-impact')
    .description('Records loyalty-points contributions exactly once and estimates delivery emissions, for partners.')
    .version(readVersion(), '--version', 'print the version')
    .option(
      '--break-glass <reason>',
      'act for the owner account when no admin can act: the audit records the reason, the service logs it, doctor shows it',
    )
    .on('option:break-glass', actByBreakGlass)
    .showHelpAfterError('(--help shows all options)')
    .configureOutput({ writeOut: printText, writeErr: printError })
    .exitOverride();
  if (wantsJson(args)) program.configureOutput({ writeErr: () => {} });
  for (const command of await loadCommands(args[0])) program.addCommand(command);
  inherit(program);
  try {
    await program.parseAsync(args as string[], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return explain(error, wantsJson(args));
  }
}

/** The version of the package. `package.json` is beside the source and beside the compiled program. */
function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string };
  return version;
}

/** The command with that name, or all commands when no command has it. */
export function loadCommands(name = ''): Promise<ProgramCommand[]> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return Promise.all((load ? [load] : Object.values(COMMANDS)).map((each) => each()));
}

/** A command that is created separately does not inherit how its parent exits. */
function inherit(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inherit(command);
  }
}

function wantsJson(args: readonly string[]): boolean {
  return args.includes('--json');
}

/**
 * @returns The exit code for a thrown value, which is printed on standard error.
 */
function explain(error: unknown, asJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  if (asJson) printErrorJson(errorToWire(error));
  // commander has printed its own errors.
  else if (!(error instanceof CommanderError)) printError(`${messageOf(error)}\n`);
  return isMistake(error) ? USAGE : FAILED;
}
