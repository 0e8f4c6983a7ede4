import { Option } from 'commander';
import type { Config } from '../../config.ts';
import type { Operator } from '../../domain/access/operator.ts';
import { ROLES, type Role } from '../../domain/access/role.ts';
import {
  changeOperatorRole,
  createOperator,
  createOwnCode,
  disableOperator,
  enterAddress,
  resetSignIn,
  type SignInCode,
} from '../../operations/access/manage-operator.ts';
import { findOperator, listOperators } from '../../store/access/operator.ts';
import type { Queryable } from '../../store/database.ts';
import { confirm, confirmAtTerminal, YES } from '../terminal/confirmation.ts';
import { consoleLink, forwardingHint } from '../terminal/console-link.ts';
import { readEmail, readName } from '../terminal/options.ts';
import { formatTime, printFields, printJson, printText, type Row } from '../terminal/output.ts';
import { listAfter, type PageOptions, printPage } from '../terminal/page.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface JsonOption {
  readonly json?: boolean;
}

interface CreateOptions extends JsonOption {
  readonly name: string;
  readonly email?: string;
  readonly role: Role;
}

interface Target extends JsonOption {
  readonly operator: string;
}

export function operatorCommand(): ProgramCommand {
  const operator = new ProgramCommand('operator').description('operators: people who run the service, each with a role');
  const role = () =>
    new Option('--role <role>', 'role; each includes the rights of the roles before it').choices(ROLES).makeOptionMandatory();
  const one = (name: string, description: string) =>
    operator
      .command(name)
      .description(description)
      .requiredOption('--operator <id>', 'id of the operator')
      .option('--json', 'one JSON object, for programs');
  operator
    .command('create')
    .description('create an operator; the sign-in code is shown only once')
    .requiredOption('--name <name>', 'name of the person', readName)
    .option('--email <address>', 'e-mail address of the person; required for approvers and admins', readEmail)
    .addOption(role())
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(createOperator.leastRole, create));
  operator.command('list').description('all operators').paged(1_000).action(withOperator('viewer', list));
  one('change-role', 'change the role, from the next command on')
    .addOption(role())
    .action(withOperator(changeOperatorRole.leastRole, changeRole));
  one('set-email', 'add the e-mail address of an operator who has none, permanently')
    .requiredOption('--email <address>', 'e-mail address of the person', readEmail)
    .option(...YES)
    .action(withOperator(enterAddress.leastRole, setEmail));
  one('disable', 'disable the operator permanently, and sign out everywhere')
    .option(...YES)
    .action(withOperator(disableOperator.leastRole, disable));
  one('reset-sign-in', 'sign out everywhere, remove every way to sign in, and create a new sign-in code')
    .option(...YES)
    .action(withOperator(resetSignIn.leastRole, reset));
  operator
    .command('link')
    .description('create a one-time link to the console, for the operator who is signed in on this machine')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', link));
  return operator;
}

async function create(
  { database, actor, config }: OperatorContext,
  { name, email = '', role, json }: CreateOptions,
): Promise<void> {
  const wanted = { name, email: email === '' ? null : email, role };
  printCode(config, await createOperator(database, actor, wanted), json);
}

async function list({ database }: OperatorContext, options: PageOptions): Promise<void> {
  const cursorOf = ({ operatorId }: Operator) => operatorId;
  const ifNone =
    'There is no operator yet. Create the first: npx partner-impact operator create --name NAME --email ADDRESS --role admin';
  printPage(listAfter(await listOperators(database.pool), options, cursorOf), options, { cursorOf, toJson, toRow, ifNone });
}

async function changeRole(
  { database, actor }: OperatorContext,
  { operator, role, json }: Target & { role: Role },
): Promise<void> {
  print(await changeOperatorRole(database, actor, operator, role), json);
}

async function setEmail(
  { database, actor }: OperatorContext,
  { operator, email, yes, json }: Target & { email: string; yes?: boolean },
): Promise<void> {
  await confirmAtTerminal(`Give the operator ${await describe(database.pool, operator)} the address ${email}?`, 'final', yes);
  print(await enterAddress(database, actor, operator, email), json);
}

async function disable({ database, actor }: OperatorContext, { operator, yes, json }: Target & { yes?: boolean }): Promise<void> {
  await confirm(`Disable the operator ${await describe(database.pool, operator)}?`, 'final', yes);
  print(await disableOperator(database, actor, operator), json);
}

async function reset(
  { database, actor, config }: OperatorContext,
  { operator, yes, json }: Target & { yes?: boolean },
): Promise<void> {
  const removed = 'the password, the passkeys and the second factor';
  const whom = await describe(database.pool, operator);
  await confirm(`Sign the operator ${whom} out everywhere, and remove ${removed}?`, 'final', yes);
  printCode(config, await resetSignIn(database, actor, operator), json);
}

async function describe(db: Queryable, operatorId: string): Promise<string> {
  const found = await findOperator(db, operatorId);
  return found ? `${operatorId} (${found.name}, ${found.role})` : operatorId;
}

async function link({ database, actor, config }: OperatorContext, { json }: JsonOption): Promise<void> {
  printCode(config, await createOwnCode(database, actor), json);
}

function print(operator: Operator, json: boolean | undefined): void {
  if (json) printJson(toJson(operator));
  else printFields(toRow(operator));
}

function printCode(config: Config, { operator, signInCode, expiresAt }: SignInCode, json: boolean | undefined): void {
  const link = consoleLink(config, { port: config.operationsPort, code: signInCode });
  if (json) {
    printJson({ ...toJson(operator), sign_in_code: signInCode, sign_in_code_expires_at: expiresAt, console_link: link });
    return;
  }
  printFields({ ...toRow(operator), 'one-time code': signInCode });
  printText(
    `\nThe code is shown only once, and is valid once until ${formatTime(expiresAt)}: npx partner-impact login asks for it.\nIn a browser  ${link}\n${portHint(config)}`,
  );
}

/** Another shell may have started the service with another setting. */
function portHint(config: Config): string {
  const { operationsNames, operationsPort } = config;
  if (operationsNames.length > 0) return '';
  const hints = [`(where the service runs with OPERATIONS_PORT=${operationsPort})`, forwardingHint(config, operationsPort)];
  return hints.map((hint) => hint && `${hint}\n`).join('');
}

function statusOf({ disabledAt }: Operator): string {
  return disabledAt === null ? 'active' : 'disabled';
}

function toJson(operator: Operator): object {
  const { operatorId, name, email, role, createdAt, disabledAt } = operator;
  return {
    operator_id: operatorId,
    name,
    email,
    role,
    status: statusOf(operator),
    created_at: createdAt,
    disabled_at: disabledAt,
  };
}

function toRow(operator: Operator): Row {
  const { operatorId, name, email, role, createdAt } = operator;
  return { operator: operatorId, name, email: email ?? '-', role, status: statusOf(operator), created: formatTime(createdAt) };
}
