import { setTimeout as sleep } from 'node:timers/promises';
import { pluralise } from '../../domain/pluralise.ts';
import type { PartnersLeftError } from '../../operations/for-each-partner.ts';
import type { SettlementTools } from '../../operations/settlements/settlement-tools.ts';
import { type VerifiedProblem, verifyEverything } from '../../operations/verification/verify-everything.ts';
import type { AuditHead } from '../../store/audit/audit.ts';
import type { Job } from '../job.ts';

export const VERIFY_JOB = 'verify';
/** The most problems in the log; `verify` prints all. */
const NAMED_MAX = 20;

/**
 * Verifies every day that nobody edited the database, and writes the last seal of the audit to the log, by which a removal of entries
 * shows.
 */
export function verifyJob({ signLike }: Pick<SettlementTools, 'signLike'>): Job {
  return {
    name: VERIFY_JOB,
    description: 'verifies every record that prices, permits or authorises; logs modified records as errors',
    pattern: '40 2 * * *',
    async run({ database, signal, alert }) {
      const problems: VerifiedProblem[] = [];
      let checked = 0n;
      let left: PartnersLeftError | undefined;
      const lasts: AuditHead[] = [];
      const options = { signLike, pause: halfTime(signal), onLast: (head: AuditHead) => void lasts.push(head) };
      for await (const part of verifyEverything(database, options)) {
        checked += part.checked;
        problems.push(...part.problems);
        left ??= part.left;
      }
      for (const { record, problem } of problems.slice(0, NAMED_MAX)) alert(`modified record: ${record}: ${problem}`);
      if (problems.length > 0)
        alert(
          `${pluralise(problems.length, 'record')} modified: \`partner-impact verify\` lists each; follow "Verify everything" in docs/operating.md`,
        );
      if (left) throw left;
      return {
        checked: Number(checked),
        differences: problems.length,
        audit_last: lasts.map(({ lastNo, lastMac }) => `${lastNo}:${lastMac}`).join(),
      };
    },
  };
}

/** A pause as long as the work before it: confirmations of this process have the other half of its time. */
function halfTime(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    signal.throwIfAborted();
    await sleep(performance.now() - since, undefined, { signal });
    since = performance.now();
  };
}
