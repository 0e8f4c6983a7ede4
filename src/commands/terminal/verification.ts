import { getPartner } from '../../operations/access/manage-partner.ts';
import { eachPartner, type Partner } from '../../store/access/partner.ts';
import type { Database } from '../../store/database.ts';
import { printJson, printTable, printText, type Row } from './output.ts';

/** Nobody reads more rows than this; a program reads `--json`, which has them all. */
const ROWS_MAX = 1_000;

export interface Verification<Problem> {
  /** How many records were verified, by the name of the member in the JSON output. */
  readonly figures: Readonly<Record<string, number | bigint>>;
  readonly problems: readonly Problem[];
  toJson(problem: Problem): object;
  toRow(problem: Problem): Row;
  /** The sentence without a problem. */
  readonly unmodified: string;
}

/** The partners to verify: the one that is named, or all. */
export async function* partnersToVerify({ pool }: Database, partnerId: string | undefined): AsyncGenerator<Partner> {
  if (partnerId === undefined) yield* eachPartner(pool);
  else yield await getPartner(pool, partnerId);
}

/** Prints what a verification found. A modified record gives exit code 1. */
export function printVerification<Problem>(verification: Verification<Problem>, asJson: boolean | undefined): void {
  const { figures, problems, toJson, toRow, unmodified } = verification;
  setVerified(problems.length === 0);
  if (asJson) printJson({ ok: problems.length === 0, ...figures, problems: problems.map(toJson) });
  else printProblems(problems.map(toRow), unmodified);
}

/**
 * Prints what a verification found that cannot go on: the edit that it is for, and the failure, may be one person's work.
 *
 * @param isWhole Whether it came to its end. Otherwise nothing is printed where it found nothing: the error says that it failed.
 */
export function printFound<Problem>(verification: Verification<Problem>, isWhole: boolean, asJson: boolean | undefined): void {
  if (isWhole || verification.problems.length > 0) printVerification(verification, asJson);
}

/** Prints the first problems, and how many more there are; or a sentence when there are none. */
export function printProblems(rows: readonly Row[], ifEmpty: string): void {
  printTable(rows.slice(0, ROWS_MAX), ifEmpty);
  if (rows.length > ROWS_MAX) printText(`… and ${rows.length - ROWS_MAX} more: --json lists each.\n`);
}

/** Exit code 1 for a record that is not as the service wrote it. */
export function setVerified(isVerified: boolean): void {
  if (!isVerified) process.exitCode = 1;
}
