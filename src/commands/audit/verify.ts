import { pluralise } from '../../domain/pluralise.ts';
import { type VerifiedPart, verifyEverything } from '../../operations/verification/verify-everything.ts';
import { configuredSettlementTools } from '../../service/keys/configured-seals.ts';
import type { AuditHead } from '../../store/audit/audit.ts';
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
  for await (const part of verifyEverything(database, options)) {
    parts.push(part);
    if (process.stderr.isTTY) printProgress(`… ${part.part}: ${part.checked}`);
  }
  const problems = parts.flatMap((part) => part.problems);
  const left = parts.find((part) => part.left)?.left;
  setVerified(problems.length === 0 && !left);
  const shown = lasts.map(({ lastNo, lastMac }) => `${lastNo}:${lastMac}`).join();
  if (json)
    return printJson({
      ok: problems.length === 0 && !left,
      audit_last: shown,
      parts: parts.map((part) => ({ ...part, left: part.left?.message ?? null })),
    });
  for (const part of parts) printText(`${part.part.padEnd(18)}${String(part.checked).padStart(12)}  ${verdictOf(part)}\n`);
  printProblems(
    problems.map(({ record, problem }) => ({ record, problem })),
    left ? 'No verified record was modified.' : 'No record was modified.',
  );
  printText(`Last  ${shown}\n`);
  if (left) printText(`Not verified, because a worker of the database does not answer: ${left.message}\n`);
}

function verdictOf({ checked, problems, left }: VerifiedPart): string {
  const verdict = problems.length === 0 ? 'as recorded' : `${problems.length} differ`;
  if (!left) return verdict;
  const partners = pluralise(left.partnerIds.size, 'partner');
  return checked === 0n ? `not verified: ${partners} left out` : `${verdict}, ${partners} left out`;
}
