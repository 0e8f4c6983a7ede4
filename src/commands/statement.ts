import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError } from 'commander';
import { counted } from '../domain/counted.ts';
import { settlementAmount } from '../domain/settlement-totals.ts';
import { type ChainedStatement, findChainBreak } from '../domain/statement-chain.ts';
import { type ExpectedStatement, type StatementVerdict, verifyStatement } from '../domain/verify-statement.ts';
import { writeStatement } from '../domain/write-statement.ts';
import { settlementNotFound } from '../operations/read-settlements.ts';
import type { Queryable } from '../store/database.ts';
import { eachSettlement, findSettlement, type Settlement } from '../store/settlement.ts';
import { eachSettlementLine } from '../store/settlement-line.ts';
import { UsageError } from './options.ts';
import { printJson, printProgress, printStream } from './output.ts';
import { withStore } from './with-store.ts';

interface DownloadOptions {
  readonly partner: string;
  readonly settlement: string;
  readonly output?: string;
  readonly excelSafe?: boolean;
  readonly json?: boolean;
}

interface VerifyOptions {
  readonly file: string;
  readonly partner?: string;
  readonly settlement?: string;
  readonly sha256?: string;
  readonly json?: boolean;
}

export function statementCommand(): Command {
  const statement = new Command('statement').description('statements: the lines of a closed settlement as CSV');
  statement
    .command('download')
    .description('write a statement to a file, or to standard output')
    .requiredOption('--partner <id>', 'id of the partner')
    .requiredOption('--settlement <id>', 'id of the settlement')
    .option('--output <file>', 'a new file; one that is there is not replaced')
    .option('--excel-safe', 'guard cells that a spreadsheet would take for something else')
    .option('--json', 'one JSON object, for programs; takes --output')
    .action(download);
  statement
    .command('verify')
    .description('look whether a file is the statement that the service made; names the line that is not')
    .requiredOption('--file <file>', 'the statement')
    .option('--partner <id>', 'id of the partner: compares with the settlement in the database, and its chain')
    .option('--settlement <id>', 'id of the settlement')
    .option('--sha256 <hex>', 'instead: the csv_sha256 of the settlement, without any database', readSha256)
    .option('--json', 'one JSON object, for programs')
    .action(verify);
  return statement;
}

function readSha256(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be 64 hexadecimal digits.');
}

async function download({ partner, settlement: id, output, excelSafe = false, json }: DownloadOptions): Promise<void> {
  if (json && output === undefined) throw new UsageError('--json takes --output: else standard output has the statement.');
  await withStore(async ({ pool }) => {
    const { statement, partnerId, settlementId } = await getClosed(pool, partner, id);
    const lines = eachSettlementLine(pool, { partnerId, settlementId });
    const bytes = Readable.from(writeStatement(lines, { isExcelSafe: excelSafe }), { objectMode: false });
    if (output === undefined) return printStream(bytes);
    await pipeline(bytes, createWriteStream(output, { flags: 'wx' }));
    if (json) printJson({ file: output, line_count: statement.lineCount, csv_sha256: excelSafe ? null : statement.csvSha256 });
    else printProgress(`Written: ${output}, ${counted(statement.lineCount, 'line')}.`);
  });
}

type Closed = Settlement & { readonly statement: NonNullable<Settlement['statement']> };

async function getClosed(db: Queryable, partnerId: string, settlementId: string): Promise<Closed> {
  const settlement = await findSettlement(db, partnerId, settlementId);
  if (!settlement) throw settlementNotFound();
  if (!settlement.statement) throw new Error('The settlement is open. Its statement is made when it is closed.');
  return settlement as Closed;
}

async function verify({ file, partner, settlement, sha256, json }: VerifyOptions): Promise<void> {
  if (sha256 !== undefined) return report(await verifyStatement(createReadStream(file), { csvSha256: sha256 }), undefined, json);
  if (partner === undefined || settlement === undefined) throw new UsageError('Give --partner and --settlement, or --sha256.');
  await withStore(async ({ pool }) => {
    const kept = await getClosed(pool, partner, settlement);
    const verdict = await verifyStatement(createReadStream(file), expectationOf(kept));
    report(verdict, await checkChain(pool, partner), json);
  });
}

function expectationOf({ statement, totals, currency }: Closed): ExpectedStatement {
  const { csvSha256, lineCount } = statement;
  return {
    csvSha256,
    lineCount,
    ...(totals && { totals: { ...totals, currency, amount: settlementAmount(totals, currency) } }),
  };
}

/** What breaks the chain of the partner's statements. */
async function checkChain(db: Queryable, partnerId: string): Promise<string | undefined> {
  const chain: ChainedStatement[] = [];
  for await (const { sequence, statement } of eachSettlement(db, partnerId))
    if (statement) chain.push({ sequence, ...statement });
  return findChainBreak(chain)?.message;
}

function report(verdict: StatementVerdict, chainBreak: string | undefined, asJson: boolean | undefined): void {
  const isIntact = verdict.isIntact && chainBreak === undefined;
  if (!isIntact) process.exitCode = 1;
  if (asJson) {
    const { problems, csvSha256, lineCount } = verdict;
    return void printJson({ ok: isIntact, csv_sha256: csvSha256, line_count: lineCount, problems, chain: chainBreak ?? null });
  }
  for (const { line, column, message } of verdict.problems) {
    const place = [line !== null && `line ${line}`, column !== null && `column ${column}`].filter(Boolean).join(', ');
    process.stdout.write(`${place && `${place}: `}${message}\n`);
  }
  if (chainBreak !== undefined) process.stdout.write(`${chainBreak}\n`);
  if (isIntact)
    process.stdout.write(
      `The statement is as it was made: ${counted(verdict.lineCount, 'line')}, SHA-256 ${verdict.csvSha256}.\n`,
    );
}
