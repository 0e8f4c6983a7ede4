import type { SealKeys } from '../../domain/settlements/settlement-seal.ts';
import { eachPartner } from '../../store/access/partner.ts';
import type { AuditHead } from '../../store/audit/audit-head.ts';
import type { Database } from '../../store/database.ts';
import { isWithoutWorker, problemOf } from '../../store/database-problem.ts';
import { listEventCounters } from '../../store/events/event.ts';
import { NodeReader } from '../../store/node-reader.ts';
import { AUDITED_KINDS } from '../audit/audited-kinds.ts';
import { type AuditDifference, describeDifference } from '../audit/compare-with-audit.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { verifyKind } from '../audit/verify-kind.ts';
import { type PartnersLeftError, partnersOfLost } from '../for-each-partner.ts';
import { verifyImpactBatches } from '../impact/verify-impact-batches.ts';
import { readVerifiedRuleEntries } from '../rules/verified-rules.ts';
import type { SettlementProblem } from '../settlements/settlement-problem.ts';
import { verifySettlements } from '../settlements/verify-settlements.ts';
import { explainUnreadable } from './explain-unreadable.ts';

/** A record that is not as the service wrote it. */
export interface VerifiedProblem {
  /** The table and the id of the record, such as `api_key 4f7…`. */
  readonly record: string;
  readonly problem: string;
}

/** The part that was verified. */
export interface VerifiedPart {
  readonly part: string;
  /** Entries, versions, records or lines. */
  readonly checked: bigint;
  readonly problems: readonly VerifiedProblem[];
  /** Of a part of which a worker of a cluster has rows and does not answer: whose rows were not verified. */
  readonly left?: PartnersLeftError;
}

export interface EverythingOptions extends Pick<SealKeys, 'signLike'> {
  /** Awaited between pages, to leave time to other work; may throw to end the verification. */
  readonly pause?: () => Promise<void>;
  /** An audit entry that was recorded elsewhere. */
  readonly expected?: AuditHead | undefined;
  /** Called with the last audit entry, once it is known. */
  readonly onLast?: (last: AuditHead) => void;
}

/**
 * Verifies everything that prices, permits or authorises, part by part: the audit chain, rules, partners, keys, operators and their
 * credentials, endpoints, drafts, adjustments, settlements with their lines and contributions, and batches. Changes may go on; a record
 * that changed meanwhile is read again under its lock. While a worker of a cluster does not answer, the settlements of the other partners are
 * verified, and every part without rows on it.
 *
 * @throws What a part cannot be read for, after the parts before it.
 */
export async function* verifyEverything(database: Database, options: EverythingOptions): AsyncGenerator<VerifiedPart> {
  const { pause = async () => {} } = options;
  const nodes = new NodeReader(database);
  yield await verifyChain(database, options);
  yield await verifyRules(database);
  for (const kind of AUDITED_KINDS)
    yield await unlessLost(nodes, kind.name, async () => {
      const { records, differences } = await verifyKind(database, kind, pause);
      return { checked: BigInt(records), problems: differences.map((each) => differingRecord(kind.name, each)) };
    });
  yield* verifyAllSettlements(database, nodes, { ...options, pause });
  yield await unlessLost(nodes, 'impact_batch', async () => {
    const { batches, projects, problems } = await verifyImpactBatches(database);
    const ofBatches = problems.map((each) =>
      differingRecord(each.subjectId.startsWith('batch_') ? 'impact_batch' : 'project', each),
    );
    return { checked: BigInt(batches + projects), problems: ofBatches };
  });
}

/** A part that is read as a whole is left as a whole. */
async function unlessLost(
  nodes: NodeReader,
  part: string,
  verify: () => Promise<Omit<VerifiedPart, 'part'>>,
): Promise<VerifiedPart> {
  try {
    return { part, ...(await verify()) };
  } catch (error) {
    if (!isWithoutWorker(problemOf(error))) throw error;
    // Finds out whose rows the worker has.
    await listEventCounters(nodes);
    if (nodes.lost.length === 0) throw error;
    return { part, checked: 0n, problems: [], left: partnersOfLost(nodes.lost) };
  }
}

async function verifyChain(database: Database, { expected, onLast, pause }: EverythingOptions): Promise<VerifiedPart> {
  const { entries, last, fault } = await verifyAudit(database, { expected, ...(pause && { pause }) });
  onLast?.(last);
  const problems = fault ? [{ record: `audit_entry ${fault.entryNo}`, problem: fault.sentence }] : [];
  return { part: 'audit_entry', checked: entries, problems };
}

async function verifyRules({ pool, auditKeys }: Database): Promise<VerifiedPart> {
  const { stored, doubts } = await readVerifiedRuleEntries(pool, auditKeys);
  const problems = [...doubts].map(([rule, problem]) => ({ record: `rule_version ${rule}`, problem }));
  return { part: 'rule_version', checked: BigInt(stored.length), problems };
}

/** One part; when it cannot be read to its end, what was found before the error. */
async function* verifyAllSettlements(
  database: Database,
  nodes: NodeReader,
  options: EverythingOptions,
): AsyncGenerator<VerifiedPart> {
  const problems: VerifiedProblem[] = [];
  const found = { part: 'settlement', checked: 0n, problems };
  let isAnyLeft = false;
  try {
    for await (const { partnerId } of eachPartner(database.pool)) {
      if (!nodes.isLost(partnerId)) found.checked += await addSettlements(database, nodes, partnerId, { ...options, problems });
      isAnyLeft ||= nodes.isLost(partnerId);
      await options.pause?.();
    }
  } catch (error) {
    if (problems.length > 0) yield found;
    throw error;
  }
  yield { ...found, ...(isAnyLeft && { left: partnersOfLost(nodes.lost) }) };
}

/** Adds the problems of a partner. @returns How many lines were verified. */
async function addSettlements(
  database: Database,
  nodes: NodeReader,
  partnerId: string,
  { problems, ...options }: EverythingOptions & { readonly problems: VerifiedProblem[] },
): Promise<bigint> {
  try {
    const verdict = await verifySettlements(database, partnerId, options);
    for (const problem of verdict.problems) problems.push({ record: nameOf(partnerId, problem), problem: problem.message });
    return BigInt(verdict.lines);
  } catch (error) {
    // Where the look fails too, the partner is unreadable because of its own failure.
    await nodes.look(partnerId).catch(() => {});
    if (!nodes.isLost(partnerId)) problems.push({ record: `partner ${partnerId}`, problem: explainUnreadable(error) });
    return 0n;
  }
}

function nameOf(partnerId: string, { settlementId, lineNo }: SettlementProblem): string {
  if (settlementId === null) return `partner ${partnerId}`;
  return `settlement ${settlementId}${lineNo === null ? '' : ` line ${lineNo}`}`;
}

function differingRecord(kind: string, difference: AuditDifference): VerifiedProblem {
  return { record: `${kind} ${difference.subjectId}`, problem: describeDifference(difference) };
}
