import { Option } from 'commander';
import { type IssuedApiKey, issueApiKey, revokeApiKey, rotateApiKey } from '../../operations/access/manage-api-key.ts';
import { type ApiKey, listAllApiKeys, listApiKeys, type Permission } from '../../store/access/api-key.ts';
import type { Queryable } from '../../store/database.ts';
import { confirm, YES } from '../terminal/confirmation.ts';
import { collectAddress, readFutureTime, readHours, readName } from '../terminal/options.ts';
import { formatTime, printFields, printJson, printText, type Row } from '../terminal/output.ts';
import { listAfter, type PageOptions, printPage } from '../terminal/page.ts';
import { readPartnerNames } from '../terminal/partner-names.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface IssueOptions {
  readonly partner: string;
  readonly name: string;
  readonly permission: Permission;
  readonly allow?: string[];
  readonly expiresAt?: Date;
  readonly json?: boolean;
}

export function keyCommand(): ProgramCommand {
  const key = new ProgramCommand('key').description("API keys of partners' servers");
  key
    .command('issue')
    .description('create a key; it is shown only once')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .option('--name <name>', 'purpose of the key', readName, 'server')
    .addOption(
      new Option('--permission <permission>', 'permission of the key')
        .choices(['read_write', 'read_only', 'manage'])
        .default('read_write'),
    )
    .option(
      '--allow <address>',
      'address or CIDR block that may use the key; repeatable (default: every address)',
      collectAddress,
    )
    .option('--expires-at <time>', 'expiry of the key, such as 2027-01-31T00:00:00Z (default: none)', readFutureTime)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(issueApiKey.leastRole, issue));
  key
    .command('list')
    .description('keys of a partner')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .paged(1_000)
    .action(withOperator('viewer', list));
  key
    .command('rotate')
    .description('replace a key by a new one with the same permissions; the old key expires after the overlap')
    .requiredOption('--key <id>', 'id of the old key')
    .option('--overlap-hours <hours>', 'hours for which the old key stays valid', readHours, 24)
    .addOption(
      new Option('--expires-at <time>', 'expiry of the new key (default: that of the old key)')
        .argParser(readFutureTime)
        .conflicts('withoutEnd'),
    )
    .option('--without-end', 'the new key does not expire')
    .option(...YES)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(rotateApiKey.leastRole, rotate));
  key
    .command('revoke')
    .description('revoke a key on every instance, within 10 seconds')
    .requiredOption('--key <id>', 'id of the key')
    .option(...YES)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(revokeApiKey.leastRole, revoke));
  return key;
}

async function issue(
  { database, config: { environment }, actor }: OperatorContext,
  { partner, name, permission, allow = [], expiresAt, json }: IssueOptions,
): Promise<void> {
  const policy = { name, permission, allowedAddresses: allow, expiresAt: expiresAt ?? null };
  const wanted = { environment, partnerId: partner, ...policy };
  printIssued(await issueApiKey(database, actor, wanted), json);
}

async function list({ database: { pool } }: OperatorContext, options: PageOptions & { partner: string }): Promise<void> {
  const cursorOf = ({ keyId }: ApiKey) => keyId;
  const ifNone = `The partner has no key yet. Create one: npx partner-impact key issue --partner ${options.partner}`;
  printPage(listAfter(await listApiKeys(pool, options.partner), options, cursorOf), options, { cursorOf, toJson, toRow, ifNone });
}

interface RotateOptions {
  readonly key: string;
  readonly overlapHours: number;
  readonly expiresAt?: Date;
  readonly withoutEnd?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

async function rotate(
  { database, config: { environment }, actor }: OperatorContext,
  { key, overlapHours, expiresAt, withoutEnd, yes, json }: RotateOptions,
): Promise<void> {
  if (overlapHours === 0) {
    const what = await describe(database.pool, key);
    await confirm(`Replace ${what} without an overlap, so that it expires now?`, 'final', yes);
  }
  const end = withoutEnd ? null : expiresAt;
  const rotation = { environment, keyId: key, overlapSeconds: overlapHours * 3_600, expiresAt: end };
  const { issued, old } = await rotateApiKey(database, actor, rotation);
  if (json) return printJson({ ...issuedToJson(issued), replaces: toJson(old) });
  printIssued(issued, false);
  const { expiresAt: endsAt } = issued.key;
  const newKey = endsAt === null ? 'The new key does not expire' : `The new key expires at ${formatTime(endsAt)}`;
  printText(`\n${newKey}; the old key ${old.keyId} is valid until ${formatTime(old.expiresAt)}.\n`);
}

async function revoke(
  { database, actor }: OperatorContext,
  { key, yes, json }: { key: string; yes?: boolean; json?: boolean },
): Promise<void> {
  await confirm(`Revoke ${await describe(database.pool, key)} on every instance?`, 'final', yes);
  const revoked = await revokeApiKey(database, actor, key);
  if (json) printJson(toJson(revoked));
  else printFields(toRow(revoked));
}

async function describe(db: Queryable, keyId: string): Promise<string> {
  const [key] = await listAllApiKeys(db, { afterId: '', ids: [keyId], limit: 1 });
  return key
    ? `the key ${keyId} (${key.name}) of ${(await readPartnerNames(db, [key.partnerId]))(key.partnerId)}`
    : `the key ${keyId}`;
}

function printIssued(issued: IssuedApiKey, asJson: boolean | undefined): void {
  if (asJson) {
    printJson(issuedToJson(issued));
    return;
  }
  printFields({ ...toRow(issued.key), 'api key': issued.apiKey });
  printText('\nThe API key is shown only once. Keep it on the server, never in an app, a log or a repository.\n');
}

function issuedToJson({ key, apiKey }: IssuedApiKey): Record<string, unknown> {
  return { ...toJson(key), api_key: apiKey };
}

function statusOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
}

function toJson(key: ApiKey): Record<string, unknown> {
  return {
    key_id: key.keyId,
    partner_id: key.partnerId,
    name: key.name,
    status: statusOf(key),
    permission: key.permission,
    allowed_addresses: key.allowedAddresses,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}

function toRow(key: ApiKey): Row {
  return {
    key: key.keyId,
    name: key.name,
    status: statusOf(key),
    permission: key.permission,
    addresses: key.allowedAddresses.join(' ') || 'every',
    created: formatTime(key.createdAt),
    expires: formatTime(key.expiresAt),
    'last used': formatTime(key.lastUsedAt),
  };
}
