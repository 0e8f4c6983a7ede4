import { setTimeout as sleep } from 'node:timers/promises';
import { pluralise } from '../../domain/pluralise.ts';
import type { PartnersLeftError } from '../../operations/for-each-partner.ts';
import type { SettlementTools } from '../../operations/settlements/settlement-tools.ts';
import { verifyEverything } from '../../operations/verification/verify-everything.ts';
import type { AuditHead } from '../../store/audit/audit-head.ts';
import { type Job, UnfinishedRunError } from '../job.ts';

export const VERIFY_JOB = 'verify';
/** The most problems in the log; `verify --json` has all. */
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
      let checked = 0n;
      let differences = 0;
      let left: PartnersLeftError | undefined;
      const lasts: AuditHead[] = [];
      const options = { signLike, pause: halfTime(signal), onLast: (head: AuditHead) => void lasts.push(head) };
      const count = () => ({
        checked: Number(checked),
        differences,
        audit_last: lasts.map(({ lastNo, lastMac }) => `${lastNo}:${lastMac}`).join(),
      });
      try {
        for await (const part of verifyEverything(database, options)) {
          checked += part.checked;
          for (const { record, problem } of part.problems.slice(0, Math.max(0, NAMED_MAX - differences)))
            alert(`modified record: ${record}: ${problem}`);
          differences += part.problems.length;
          left ??= part.left;
        }
        if (left) throw left;
        return count();
      } catch (error) {
        // What was found is recorded although a later part cannot be read.
        throw new UnfinishedRunError(count(), error);
      } finally {
        if (differences > 0)
          alert(
            `${pluralise(differences, 'record')} modified: \`partner-impact verify\` lists each; follow "Verify everything" in docs/operating.md`,
          );
      }
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
