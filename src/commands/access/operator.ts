import { Command, Option } from 'commander';
import type { Operator } from '../../domain/access/operator.ts';
import { ROLES, type Role } from '../../domain/access/role.ts';
import {
  changeOperatorRole,
  createOperator,
  disableOperator,
  enterAddress,
  resetSignIn,
  type SignInCode,
} from '../../operations/access/manage-operator.ts';
import { listOperators } from '../../store/access/operator.ts';
import { currentActor } from '../terminal/actor.ts';
import { readEmail, readName } from '../terminal/options.ts';
import { printFields, printJson, printTable, printText, type Row, showTime } from '../terminal/output.ts';
import { withStore } from '../terminal/with-store.ts';

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

export function operatorCommand(): Command {
  const operator = new Command('operator').description('operators: people who run the service, each with a role');
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
    .option('--email <address>', 'e-mail e-mail address of the person; required for approvers and admins', readEmail)
    .addOption(role())
    .option('--json', 'one JSON object, for programs')
    .action(create);
  operator.command('list').description('all operators').option('--json', 'one JSON array, for programs').action(list);
  one('change-role', 'change the role, from the next command on').addOption(role()).action(changeRole);
  one('set-email', 'add the e-mail address of an operator who has none')
    .requiredOption('--email <address>', 'e-mail address of the person', readEmail)
    .action(setEmail);
  one('disable', 'disable the operator permanently, and sign out everywhere').action(disable);
  one('reset-sign-in', 'sign out everywhere, and create a new sign-in code').action(reset);
  return operator;
}

async function create({ name, email = '', role, json }: CreateOptions): Promise<void> {
  await withStore(async (database) => {
    const wanted = { name, email: email === '' ? null : email, role };
    printCode(await createOperator(database, await currentActor(database), wanted), json);
  });
}

async function list({ json }: JsonOption): Promise<void> {
  await withStore(async (database) => {
    const operators = await listOperators(database.pool);
    if (json) return printJson(operators.map(toJson));
    printTable(
      operators.map(toRow),
      'There is no operator yet. Create the first: npx partner-impact operator create --name NAME --email ADDRESS --role admin',
    );
  });
}

async function changeRole({ operator, role, json }: Target & { role: Role }): Promise<void> {
  await withStore(async (database) => {
    print(await changeOperatorRole(database, await currentActor(database), operator, role), json);
  });
}

async function setEmail({ operator, email, json }: Target & { email: string }): Promise<void> {
  await withStore(async (database) => {
    print(await enterAddress(database, await currentActor(database), operator, email), json);
  });
}

async function disable({ operator, json }: Target): Promise<void> {
  await withStore(async (database) => {
    print(await disableOperator(database, await currentActor(database), operator), json);
  });
}

async function reset({ operator, json }: Target): Promise<void> {
  await withStore(async (database) => {
    printCode(await resetSignIn(database, await currentActor(database), operator), json);
  });
}

function print(operator: Operator, json: boolean | undefined): void {
  if (json) printJson(toJson(operator));
  else printFields(toRow(operator));
}

function printCode({ operator, signInCode, expiresAt }: SignInCode, json: boolean | undefined): void {
  if (json) {
    printJson({ ...toJson(operator), sign_in_code: signInCode, sign_in_code_expires_at: expiresAt });
    return;
  }
  printFields({ ...toRow(operator), 'one-time code': signInCode });
  printText(
    `\nThe code is shown only once, and is valid once until ${showTime(expiresAt)}: npx partner-impact login asks for it.\n`,
  );
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
  return { operator: operatorId, name, email: email ?? '-', role, status: statusOf(operator), created: showTime(createdAt) };
}
