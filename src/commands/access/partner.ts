import { DEFAULT_RATES, type PartnerRates } from '../../domain/access/partner-rates.ts';
import type { PartnerQuota } from '../../domain/quotas/partner-quota.ts';
import { DEFAULT_TIME_ZONE } from '../../domain/settlements/settlement-period.ts';
import {
  changeSettlementPolicy,
  createPartner,
  getPartner,
  resumePartner,
  setPartnerRates,
  suspendPartner,
} from '../../operations/access/manage-partner.ts';
import { getQuotaUse, setPartnerQuota } from '../../operations/quotas/manage-partner-quota.ts';
import { listPartners, type Partner } from '../../store/access/partner.ts';
import { isWithoutWorker, problemOfServer } from '../../store/database-problem.ts';
import { confirm, YES, YES_WITHOUT_EFFECT } from '../terminal/confirmation.ts';
import { readBytes, readName, readRate, UsageError } from '../terminal/options.ts';
import { formatTime, printFields, printJson, printText, type Row } from '../terminal/output.ts';
import { type PageOptions, printPage, readAfterId } from '../terminal/page.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface JsonOption {
  readonly json?: boolean;
}

interface CreateOptions extends JsonOption {
  readonly name: string;
  readonly writesPerSecond: number;
  readonly lookupsPerSecond: number;
  readonly reportsPerSecond: number;
  readonly currency?: string;
  readonly timeZone: string;
}

interface ChangeOptions extends JsonOption {
  readonly partner: string;
  readonly currency?: string;
  readonly timeZone?: string;
}

interface OfPartner extends JsonOption {
  readonly partner: string;
}

export function partnerCommand(): ProgramCommand {
  const partner = new ProgramCommand('partner').description('partners: businesses that may confirm contributions');
  partner
    .command('create')
    .description('create a partner; rates of its own take an admin')
    .requiredOption('--name <name>', 'name of the partner', readName)
    .option('--writes-per-second <n>', 'confirmations, estimates and associations', readRate, DEFAULT_RATES.writesPerSecond)
    .option('--lookups-per-second <n>', 'look-ups of contributions and estimates', readRate, DEFAULT_RATES.lookupsPerSecond)
    .option('--reports-per-second <n>', 'everything else', readRate, DEFAULT_RATES.reportsPerSecond)
    .option('--currency <code>', 'currency of its settlements (ISO 4217); it can be set later')
    .option('--time-zone <zone>', 'time zone of its days and periods', DEFAULT_TIME_ZONE)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(createPartner.leastRole, create));
  partner
    .command('change')
    .description(
      'set the currency or the time zone of a partner; both are fixed once a record depends on them, and another one takes a partner without keys',
    )
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .option('--currency <code>', 'currency of its settlements (ISO 4217)')
    .option('--time-zone <zone>', 'time zone of its days and periods')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(changeSettlementPolicy.leastRole, change));
  partner.command('list').description('all partners').paged(1_000).action(withOperator('viewer', list));
  partner
    .command('show')
    .description('one partner')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', show));
  partner
    .command('suspend')
    .description('refuse new records of a partner, within 10 seconds; look-ups and replays still work')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .option(...YES)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(suspendPartner.leastRole, suspend));
  partner
    .command('resume')
    .description('accept new records of a suspended partner again')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .option(...YES_WITHOUT_EFFECT)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(resumePartner.leastRole, resume));
  partner
    .command('set-rates')
    .description('change the rates of a partner in requests a second, within 10 seconds')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .option('--writes-per-second <n>', 'confirmations, estimates and associations', readRate)
    .option('--lookups-per-second <n>', 'look-ups of contributions and estimates', readRate)
    .option('--reports-per-second <n>', 'everything else', readRate)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(setPartnerRates.leastRole, setRates));
  partner
    .command('set-quota')
    .description('change the quota of a partner per UTC day, within 10 seconds; confirmations are never refused for it')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .option('--bytes-per-day <n>', 'bytes that the partner stores, approximately as on disk', readBytes)
    .option('--lists-per-day <n>', 'lists sent for reconciliation', readRate)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(setPartnerQuota.leastRole, setQuota));
  return partner;
}

async function create({ database, actor }: OperatorContext, { name, json, ...rates }: CreateOptions): Promise<void> {
  const partner = await createPartner(database, actor, name, rates).catch(explainWorker);
  print(partner, json);
  if (!json) printText(`\nIts first key: npx partner-impact key issue --partner ${partner.partnerId}\n`);
}

/** The id of a partner, which is chosen anew each time, says which worker of a cluster has its rows. */
function explainWorker(error: unknown): never {
  if (!isWithoutWorker(problemOfServer(error))) throw error;
  const { message } = error as Error;
  throw new Error(
    `No partner was created. Repeat the command: the next id may belong to another worker. The coordinator says: ${message}`,
    { cause: error },
  );
}

async function change({ database, actor }: OperatorContext, { partner, json, ...policy }: ChangeOptions): Promise<void> {
  if (policy.currency === undefined && policy.timeZone === undefined)
    throw new UsageError('Nothing to change: give --currency, --time-zone or both.');
  print(await changeSettlementPolicy(database, actor, partner, policy), json);
}

async function list({ database: { pool } }: OperatorContext, options: PageOptions): Promise<void> {
  const partners = await listPartners(pool, { afterId: readAfterId(options, 'ptn') ?? '', limit: options.limit + 1 });
  const ifNone = 'There is no partner yet. Create one: npx partner-impact partner create --name NAME';
  printPage(partners, options, { cursorOf: ({ partnerId }) => partnerId, toJson, toRow, ifNone });
}

async function show({ database: { pool } }: OperatorContext, { partner, json }: OfPartner): Promise<void> {
  const found = await getPartner(pool, partner);
  const { bytesPerDay, listsPerDay, storedBytes, lists } = await getQuotaUse(pool, partner);
  if (json) {
    const today = {
      bytes_per_day: bytesPerDay,
      lists_per_day: listsPerDay,
      stored_bytes_today: storedBytes,
      lists_today: lists,
    };
    return printJson({ ...toJson(found), ...today });
  }
  printFields({
    ...toRow(found),
    'bytes today': `${storedBytes} of ${bytesPerDay}`,
    'lists today': `${lists} of ${listsPerDay}`,
  });
}

async function suspend(
  { database, actor }: OperatorContext,
  { partner, yes, json }: OfPartner & { yes?: boolean },
): Promise<void> {
  const { partnerId, name } = await getPartner(database.pool, partner);
  await confirm(`Suspend the partner ${partnerId} (${name})?`, 'new_records_are_refused', yes);
  print(await suspendPartner(database, actor, partner), json);
}

async function resume({ database, actor }: OperatorContext, { partner, json }: OfPartner): Promise<void> {
  print(await resumePartner(database, actor, partner), json);
}

async function setRates(
  { database, actor }: OperatorContext,
  { partner, json, ...rates }: OfPartner & Partial<PartnerRates>,
): Promise<void> {
  if (Object.keys(rates).length === 0) throw new UsageError('Give at least one rate, such as --writes-per-second 100.');
  print(await setPartnerRates(database, actor, partner, rates), json);
}

async function setQuota(
  { database, actor }: OperatorContext,
  { partner, json, ...quota }: OfPartner & Partial<PartnerQuota>,
): Promise<void> {
  if (Object.keys(quota).length === 0) throw new UsageError('Give --bytes-per-day, --lists-per-day or both.');
  const { bytesPerDay, listsPerDay } = await setPartnerQuota(database, actor, partner, quota);
  if (json) printJson({ partner_id: partner, bytes_per_day: bytesPerDay, lists_per_day: listsPerDay });
  else printFields({ partner, 'bytes a day': String(bytesPerDay), 'lists a day': String(listsPerDay) });
}

function print(partner: Partner, asJson: boolean | undefined): void {
  if (asJson) printJson(toJson(partner));
  else printFields(toRow(partner));
}

function statusOf({ suspendedAt }: Partner): string {
  return suspendedAt === null ? 'active' : 'suspended';
}

function toJson(partner: Partner): Record<string, unknown> {
  return {
    partner_id: partner.partnerId,
    name: partner.name,
    status: statusOf(partner),
    writes_per_second: partner.writesPerSecond,
    lookups_per_second: partner.lookupsPerSecond,
    reports_per_second: partner.reportsPerSecond,
    currency: partner.currency,
    time_zone: partner.timeZone,
    created_at: partner.createdAt.toISOString(),
    suspended_at: partner.suspendedAt?.toISOString() ?? null,
  };
}

function toRow(partner: Partner): Row {
  const { writesPerSecond, lookupsPerSecond, reportsPerSecond } = partner;
  return {
    partner: partner.partnerId,
    name: partner.name,
    status: statusOf(partner),
    'writes/lookups/reports a second': `${writesPerSecond}/${lookupsPerSecond}/${reportsPerSecond}`,
    currency: partner.currency ?? '-',
    'time zone': partner.timeZone,
    created: formatTime(partner.createdAt),
  };
}
