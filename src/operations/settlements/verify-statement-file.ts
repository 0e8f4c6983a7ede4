import { settlementAmount } from '../../domain/settlements/settlement-totals.ts';
import { compareStatement } from '../../domain/settlements/statement/compare-statement.ts';
import { findChainBreak } from '../../domain/settlements/statement/statement-chain.ts';
import {
  type ExpectedStatement,
  type StatementProblem,
  type StatementVerdict,
  verifyStatement,
} from '../../domain/settlements/statement/verify-statement.ts';
import type { Queryable } from '../../store/database.ts';
import { eachSettlement, type Settlement } from '../../store/settlements/settlement.ts';
import { eachSettlementLine } from '../../store/settlements/settlement-line.ts';
import {
  type FoundSettlement,
  findSettlementOfAnyPartner,
  findSettlementOfContribution,
  findStatementOwner,
} from '../../store/settlements/settlement-search.ts';

export type ClosedSettlement = Settlement & { readonly statement: NonNullable<Settlement['statement']> };

export interface StatementFileVerdict
  extends Pick<StatementVerdict, 'isIntact' | 'problems' | 'csvSha256' | 'lineCount' | 'form'> {
  /** How many more lines differ than are reported. */
  readonly more: number;
  /** The first break of the chain of the partner's statements. */
  readonly chainBreak: string | undefined;
}

/**
 * Verifies that a file is the statement of a settlement, as served or in the form for spreadsheets. Otherwise every differing line is
 * found by comparing the file with the settlement's own lines; the statement of another settlement is reported as such.
 *
 * @param open Returns the file's bytes from their beginning, at each call.
 */
export async function verifyStatementFile(
  db: Queryable,
  settlement: ClosedSettlement,
  open: () => AsyncIterable<Uint8Array>,
): Promise<StatementFileVerdict> {
  const verdict = await verifyStatement(open(), expectationOf(settlement));
  const { csvSha256, lineCount, form } = verdict;
  const chainBreak = await checkChain(db, settlement.partnerId);
  const { problems, more } = verdict.isIntact ? { problems: [], more: 0 } : await explain(db, { settlement, verdict, open });
  return { isIntact: verdict.isIntact && chainBreak === undefined, problems, more, csvSha256, lineCount, form, chainBreak };
}

function expectationOf({ statement, totals, currency }: ClosedSettlement): ExpectedStatement {
  const { csvSha256, lineCount } = statement;
  return {
    csvSha256,
    lineCount,
    ...(totals && { totals: { ...totals, currency, amount: settlementAmount(totals, currency) } }),
  };
}

async function checkChain(db: Queryable, partnerId: string): Promise<string | undefined> {
  const chain = [];
  for await (const { sequence, statement } of eachSettlement(db, partnerId))
    if (statement) chain.push({ sequence, ...statement });
  return findChainBreak(chain)?.message;
}

interface Difference {
  readonly settlement: ClosedSettlement;
  readonly verdict: StatementVerdict;
  readonly open: () => AsyncIterable<Uint8Array>;
}

type Explained = Pick<StatementFileVerdict, 'problems' | 'more'>;

async function explain(db: Queryable, { settlement, verdict, open }: Difference): Promise<Explained> {
  const { csvSha256, plainSha256, form } = verdict;
  const owner = (await findStatementOwner(db, csvSha256)) ?? (await findStatementOwner(db, plainSha256));
  if (owner && owner.settlementId !== settlement.settlementId)
    return { problems: [otherStatement(owner, settlement, 'It is unchanged.')], more: 0 };
  if (verdict.problems.some(({ line }) => line === 1)) return { problems: verdict.problems, more: 0 };
  const lines = eachSettlementLine(db, settlement);
  const { problems, more, foundLines, firstTransactionId, serviceSha256 } = await compareStatement(open(), lines, form);
  const elsewhere = foundLines === 0 && firstTransactionId && (await findElsewhere(db, settlement.partnerId, firstTransactionId));
  if (elsewhere && elsewhere.settlementId !== settlement.settlementId)
    return { problems: [otherStatement(elsewhere, settlement, 'It was changed: compare it with that settlement.')], more: 0 };
  const changed = serviceSha256 === settlement.statement.csvSha256 ? [] : [linesChanged()];
  const ofFile = verdict.problems.filter(({ code }) => code === 'other_sha256');
  return { problems: [...(problems.length > 0 ? [...problems, ...ofFile] : verdict.problems), ...changed], more };
}

/** The settlement of a contribution: of this partner, or of any other. */
async function findElsewhere(db: Queryable, partnerId: string, transactionId: string): Promise<FoundSettlement | undefined> {
  const own = await findSettlementOfContribution(db, partnerId, transactionId);
  return own ?? findSettlementOfAnyPartner(db, transactionId);
}

function otherStatement(owner: FoundSettlement, { partnerId }: Settlement, state: string): StatementProblem {
  const { settlementId, periodLabel } = owner;
  const whose = owner.partnerId === partnerId ? '' : ` of the partner ${owner.partnerId}`;
  const message = `The file is the statement of another settlement: ${settlementId} (${periodLabel})${whose}. ${state}`;
  return { line: null, column: null, code: 'other_settlement', message };
}

function linesChanged(): StatementProblem {
  const message = 'The lines in the database were changed after the closing: run `settlement verify`.';
  return { line: null, column: null, code: 'service_lines_changed', message };
}
