import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import { listLatestEntries } from '../../operations/audit/list-entries.ts';
import { verifyAudit } from '../../operations/audit/verify-audit.ts';
import type { AuditHead } from '../../store/audit/audit-head.ts';
import { escapeForTerminal } from '../../webhooks/receiver/escape-for-terminal.ts';
import { readExactJson } from '../../wire/exact-json.ts';
import { readHead, readPastTime } from '../terminal/options.ts';
import { formatTime, printJson, printProgress, printText, type Row } from '../terminal/output.ts';
import { type PageOptions, printPage, readAfter } from '../terminal/page.ts';
import { readPartnerNames } from '../terminal/partner-names.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { setVerified } from '../terminal/verification.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface ListOptions extends PageOptions {
  readonly partner?: string;
  readonly subject?: string;
  readonly since?: Date;
}

interface VerifyOptions {
  readonly expectLast?: AuditHead;
  readonly json?: boolean;
}

export function auditCommand(): ProgramCommand {
  const audit = new ProgramCommand('audit').description('audit: who changed what, as a chain of sealed entries');
  audit
    .command('list')
    .description('entries, the newest first')
    .option('--partner <partner>', 'only about this partner')
    .option('--subject <id>', 'only about this record')
    .option('--since <time>', 'only from this time on', readPastTime)
    .paged()
    .action(withOperator('viewer', list));
  audit
    .command('verify')
    .description('verify the chain from its first entry; report the first invalid entry (exit code 1)')
    .option('--expect-last <no:seal>', 'the last entry of an earlier verification, which must still exist', readHead)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', verify));
  return audit;
}

async function list({ database }: OperatorContext, options: ListOptions): Promise<void> {
  const { partner, subject, since, limit } = options;
  const before = readAfter(options, /^\d{1,18}$/)?.[0];
  const beforeNo = before === undefined ? undefined : BigInt(before);
  const filter = { partnerId: partner, subjectId: subject, since, beforeNo, limit: limit + 1 };
  const entries = await listLatestEntries(database.pool, filter);
  const names = await readPartnerNames(
    database.pool,
    entries.map(({ partnerId }) => partnerId),
  );
  const toNamedRow = (entry: SealedEntry) => ({
    ...toRow(entry),
    partner: entry.partnerId === null ? '-' : names(entry.partnerId),
  });
  printPage(entries, options, {
    cursorOf: ({ entryNo }) => String(entryNo),
    toJson,
    toRow: toNamedRow,
    ifNone: 'No entry matches.',
  });
}

/** Progress is reported this often. */
const PROGRESS_ENTRIES = 100_000n;

async function verify({ database }: OperatorContext, { expectLast, json }: VerifyOptions): Promise<void> {
  const onProgress = (entries: bigint) => entries % PROGRESS_ENTRIES === 0n && printProgress(`… ${entries}`);
  const { entries, last, fault } = await verifyAudit(database, { expected: expectLast, onProgress });
  setVerified(fault === null);
  const shown = `${last.lastNo}:${last.lastMac}`;
  if (json) {
    const found = fault && { entry_no: fault.entryNo, is: fault.is, sentence: fault.sentence };
    return printJson({ ok: fault === null, entries, last: shown, fault: found });
  }
  if (fault)
    printText(`Audit chain broken at entry ${fault.entryNo}; ${rangeOf(entries)} verified.\nCause: ${fault.sentence}.\n`);
  else printText(`Audit chain intact: ${entries} entries verified.\n`);
  printText(`Last  ${shown}\n`);
  if (!fault)
    printText('Store this line on another machine: with --expect-last it later shows that no last entries were removed.\n');
}

function toJson(entry: SealedEntry): object {
  return {
    entry_no: entry.entryNo,
    recorded_at: entry.recordedAt,
    operator_id: entry.operatorId,
    role: entry.role,
    action: entry.action,
    partner_id: entry.partnerId,
    subject_id: entry.subjectId,
    before: entry.before && readExactJson(entry.before),
    after: entry.after && readExactJson(entry.after),
    correlation_id: entry.correlationId,
    mac: entry.mac,
  };
}

function rangeOf(entries: bigint): string {
  if (entries < 2n) return entries === 0n ? 'no entry' : 'entry 1';
  return `entries 1 to ${entries}`;
}

function toRow({ entryNo, recordedAt, operatorId, role, action, subjectId, partnerId }: SealedEntry): Row {
  return {
    no: String(entryNo),
    recorded: formatTime(recordedAt),
    operator: escapeForTerminal(operatorId),
    role: escapeForTerminal(role),
    action: escapeForTerminal(action),
    subject: escapeForTerminal(subjectId),
    partner: escapeForTerminal(partnerId ?? '-'),
  };
}
