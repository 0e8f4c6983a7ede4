import { pluralise } from '../../domain/pluralise.ts';
import { type VerifiedPart, verifyEverything } from '../../operations/verification/verify-everything.ts';
import { configuredSettlementTools } from '../../service/keys/configured-seals.ts';
import type { AuditHead } from '../../store/audit/audit-head.ts';
import { readHead } from '../terminal/options.ts';
import { printJson, printProgress, printText } from '../terminal/output.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { printProblems, setVerified } from '../terminal/verification.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface VerifyOptions {
  readonly expectLast?: AuditHead;
  readonly json?: boolean;
}

export function verifyCommand(): ProgramCommand {
  return new ProgramCommand('verify')
    .description('verify every record that prices, permits or authorises; report modified records (exit code 1)')
    .option('--expect-last <no:seal>', 'the last audit entry of an earlier verification', readHead)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', verify));
}

async function verify({ database, config }: OperatorContext, { expectLast, json }: VerifyOptions): Promise<void> {
  const parts: VerifiedPart[] = [];
  const lasts: AuditHead[] = [];
  const { signLike } = configuredSettlementTools(config);
  const options = { signLike, expected: expectLast, onLast: (head: AuditHead) => void lasts.push(head) };
  let isWhole = false;
  try {
    for await (const part of verifyEverything(database, options)) {
      parts.push(part);
      if (!json) printText(`${part.part.padEnd(18)}${String(part.checked).padStart(12)}  ${verdictOf(part)}\n`);
      else printProgress(`… ${part.part}: ${part.checked}`);
    }
    isWhole = parts.every(({ left }) => !left);
  } finally {
    // What was found is told although a later part cannot be read.
    if (parts.length > 0)
      printFound({ parts, last: lasts.map(({ lastNo, lastMac }) => `${lastNo}:${lastMac}`).join(), isWhole }, json);
  }
}

interface Found {
  readonly parts: readonly VerifiedPart[];
  /** The last audit entry. */
  readonly last: string;
  /** Whether everything was verified. */
  readonly isWhole: boolean;
}

function printFound({ parts, last, isWhole }: Found, json: boolean | undefined): void {
  const problems = parts.flatMap((part) => part.problems);
  const ok = isWhole && problems.length === 0;
  setVerified(ok);
  if (json)
    return void printJson({ ok, audit_last: last, parts: parts.map((part) => ({ ...part, left: part.left?.message ?? null })) });
  printProblems(
    problems.map(({ record, problem }) => ({ record, problem })),
    isWhole ? 'No record was modified.' : 'No verified record was modified.',
  );
  printText(`Last  ${last}\n`);
  const left = parts.find((part) => part.left)?.left;
  if (left) printText(`Not verified, because a worker of the database does not answer: ${left.message}\n`);
}

function verdictOf({ checked, problems, left }: VerifiedPart): string {
  const verdict = problems.length === 0 ? 'as recorded' : `${problems.length} differ`;
  if (!left) return verdict;
  const partners = pluralise(left.partnerIds.size, 'partner');
  return checked === 0n ? `not verified: ${partners} left out` : `${verdict}, ${partners} left out`;
}
