import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { closeSettlement } from '../../src/operations/settlements/close-settlement.ts';
import { verifySettlements } from '../../src/operations/settlements/verify-settlements.ts';
import type { Database } from '../../src/store/database.ts';
import { eachSettlement } from '../../src/store/settlements/settlement.ts';
import { eachSettlementLine } from '../../src/store/settlements/settlement-line.ts';
import { settlementTools } from '../harness/settlement-tools.ts';

const CLOSER = join(import.meta.dirname, 'closer.ts');
const PROCESSES = 2;

export interface Closings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly database: Database;
  readonly databaseUrl: string;
  /** With an open settlement. */
  readonly partnerId: string;
  readonly closings: number;
  readonly writers: number;
  readonly report: (violation: string) => void;
}

export interface ClosingsFigures {
  /** How many settlements each process closed. */
  readonly closed: readonly number[];
  /** How often a process found that the other one had closed the settlement just before. */
  readonly lostRaces: number;
  readonly confirmations: number;
  readonly lines: number;
  readonly settlementsWithLines: number;
}

/** Confirms and closes at once, then looks: every acknowledged contribution on exactly one settlement, and lines equal to totals. */
export async function runClosings(options: Closings): Promise<ClosingsFigures> {
  const { database, databaseUrl, partnerId, closings, writers, report } = options;
  const state = { isOver: false };
  const acknowledged = new Set<string>();
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(options, writer, state, acknowledged)));
  const env = { ...process.env, AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(',') };
  const closers = Array.from({ length: PROCESSES }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [CLOSER, databaseUrl, partnerId, String(closings)], { env });
    return JSON.parse(stdout) as { closed: number; lost: number };
  });
  const told = await Promise.all(closers).finally(() => {
    state.isOver = true;
  });
  await writing;
  const actor = { operatorId: 'owner', role: 'approver', correlationId: newId('corr') } as const;
  if (!(await closeSettlement(database, actor, { partnerId, isEarly: true }, settlementTools)))
    report('the last closing did not happen');
  const { lines, withLines } = await checkLines(options, acknowledged);
  const { rows } = await database.pool.query<{ count: bigint }>(
    "select count(*) from contribution where partner_id = $1 and status = 'confirmed'",
    [partnerId],
  );
  if (rows[0]?.count !== BigInt(lines)) report(`${rows[0]?.count} contributions are confirmed, and there are ${lines} lines`);
  const verdict = await verifySettlements(database, partnerId, settlementTools);
  for (const { message } of verdict.problems) report(message);
  if (verdict.settlements !== closings + 2) report(`${verdict.settlements} settlements are there after ${closings + 1} closings`);
  return {
    closed: told.map(({ closed }) => closed),
    lostRaces: told.reduce((sum, { lost }) => sum + lost, 0),
    confirmations: acknowledged.size,
    lines,
    settlementsWithLines: withLines.size,
  };
}

/** The processes raced for settlements, and these closed among contributions: else a run has shown nothing. */
export function checkMeetings(
  { closed, lostRaces, settlementsWithLines }: Pick<ClosingsFigures, 'closed' | 'lostRaces' | 'settlementsWithLines'>,
  report: (violation: string) => void,
): void {
  const idle = closed.filter((count) => count === 0).length;
  if (idle > 0) report(`void: ${idle} of ${closed.length} processes closed nothing`);
  if (lostRaces === 0) report('void: the processes never met at a settlement');
  if (settlementsWithLines < 2) report(`void: ${settlementsWithLines} settlements have lines`);
}

/** Every acknowledged contribution is on exactly one settlement. */
async function checkLines({ database, partnerId, report }: Closings, acknowledged: ReadonlySet<string>) {
  const seen = new Map<string, string>();
  const withLines = new Set<string>();
  let lines = 0;
  for await (const settlement of eachSettlement(database.pool, partnerId)) {
    for await (const { transactionId } of eachSettlementLine(database.pool, settlement)) {
      lines++;
      withLines.add(settlement.settlementId);
      if (transactionId === null) continue;
      const other = seen.get(transactionId);
      if (other) report(`${transactionId} is on ${other} and on ${settlement.settlementId}`);
      seen.set(transactionId, settlement.settlementId);
    }
  }
  for (const transactionId of acknowledged) if (!seen.has(transactionId)) report(`${transactionId} is on no settlement`);
  return { lines, withLines };
}

async function write(
  { baseUrl, apiKey, report }: Closings,
  writer: number,
  state: { readonly isOver: boolean },
  acknowledged: Set<string>,
): Promise<void> {
  for (let number = 0; !state.isOver; number++) {
    const name = `closings-${process.pid}-${writer}-${number}`;
    const answer = await fetch(`${baseUrl}/v1/impact-transactions`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': `${name}-key` },
      body: JSON.stringify({ partner_event_id: name, partner_order_ref: name, points: 1 + (number % 1_000) }),
    });
    const body = (await answer.json()) as { contribution?: { transaction_id: string } };
    if (answer.status === 201 && body.contribution) acknowledged.add(body.contribution.transaction_id);
    else report(`a confirmation was answered ${answer.status} while settlements closed`);
  }
}
