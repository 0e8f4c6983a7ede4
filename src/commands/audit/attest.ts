import { Option } from 'commander';
import { ATTESTED_KINDS, attestRecord, getRecord } from '../../operations/verification/attest-record.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { confirmAtTerminal, YES } from '../terminal/confirmation.ts';
import { printJson, printText } from '../terminal/output.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface AttestOptions {
  readonly kind: string;
  readonly id: string;
  readonly reason: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function attestCommand(): ProgramCommand {
  const kinds = ATTESTED_KINDS.map(({ name }) => name);
  return new ProgramCommand('attest')
    .description('attest in the audit that a modified record is correct, after comparing it with a backup')
    .addOption(new Option('--kind <kind>', 'kind of the record, as verify reports it').choices(kinds).makeOptionMandatory())
    .requiredOption('--id <id>', 'id of the record')
    .requiredOption('--reason <text>', 'reason, stored with the change')
    .option(...YES)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(attestRecord.leastRole, attest));
}

async function attest({ database, actor }: OperatorContext, { kind, id, reason, yes, json }: AttestOptions): Promise<void> {
  const shown = exactJson(await getRecord(database.pool, { kind, id }));
  await confirmAtTerminal(`Attest the ${kind} ${id} as it is: ${shown}?`, 'final', yes);
  const record = await attestRecord(database, actor, { kind, id, reason, shown });
  if (json) printJson({ kind, id, attested: true, record });
  else printText(`Attested in the audit: ${kind} ${id}.\n${exactJson(record)}\n`);
}
