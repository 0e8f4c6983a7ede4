import { Option } from 'commander';
import { AUDITED_KINDS } from '../../operations/audit/audited-kinds.ts';
import { attestRecord } from '../../operations/verification/attest-record.ts';
import { printJson, printText } from '../terminal/output.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface AttestOptions {
  readonly kind: string;
  readonly id: string;
  readonly reason: string;
  readonly json?: boolean;
}

export function attestCommand(): ProgramCommand {
  const kinds = AUDITED_KINDS.map(({ name }) => name);
  return new ProgramCommand('attest')
    .description('attest in the audit that a modified record is correct, after comparing it with a backup')
    .addOption(new Option('--kind <kind>', 'kind of the record, as verify reports it').choices(kinds).makeOptionMandatory())
    .requiredOption('--id <id>', 'id of the record')
    .requiredOption('--reason <text>', 'reason, stored with the change')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(attestRecord.leastRole, attest));
}

async function attest({ database, actor }: OperatorContext, { kind, id, reason, json }: AttestOptions): Promise<void> {
  await attestRecord(database, actor, { kind, id, reason });
  if (json) printJson({ kind, id, attested: true });
  else printText(`Attested in the audit: ${kind} ${id}.\n`);
}
