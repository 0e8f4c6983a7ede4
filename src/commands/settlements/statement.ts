import { createReadStream } from 'node:fs';
import { access, constants, open, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { InvalidArgumentError } from 'commander';
import { pluralise } from '../../domain/pluralise.ts';
import { verifyStatement } from '../../domain/settlements/statement/verify-statement.ts';
import { writeStatement } from '../../domain/settlements/statement/write-statement.ts';
import { getPartnerNamed } from '../../operations/access/manage-partner.ts';
import { getSettlement } from '../../operations/settlements/get-settlement.ts';
import {
  type ClosedSettlement,
  type StatementFileVerdict,
  verifyStatementFile,
} from '../../operations/settlements/verify-statement-file.ts';
import type { Queryable } from '../../store/database.ts';
import { eachSettlementLine } from '../../store/settlements/settlement-line.ts';
import { UsageError } from '../terminal/options.ts';
import { printJson, printNotice, printStream, printText } from '../terminal/output.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { asOperator, type OperatorContext, refuseBreakGlass, withOperator, withoutOperator } from '../terminal/with-operator.ts';

/** The statement says what a partner owes. */
const OWNER_ONLY = 0o600;

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

export function statementCommand(): ProgramCommand {
  const statement = new ProgramCommand('statement').description('statements: the lines of a closed settlement as CSV');
  statement
    .command('download')
    .description('write a statement to a file, or to standard output')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .requiredOption('--settlement <id>', 'id of the settlement')
    .option('--output <file>', 'a new file; an existing file is not replaced')
    .option('--excel-safe', 'protect cells that a spreadsheet would change')
    .option('--json', 'one JSON object, for programs; takes --output')
    .action(withOperator('viewer', download));
  statement
    .command('verify')
    .description(
      'verify that a file is the statement of the service, plain or excel_safe. With a settlement of the database, report each line that differs; with only a hash, report lines that no statement can have',
    )
    .requiredOption('--file <file>', 'the statement')
    .option('--partner <partner>', 'id or name of the partner: compare with the settlement in the database and its chain')
    .option('--settlement <id>', 'id of the settlement')
    .option('--sha256 <hex>', 'instead: csv_sha256 of the settlement; needs no database', readSha256)
    .option('--json', 'one JSON object, for programs')
    .action(
      withoutOperator('with --sha256 it reads only the file; a settlement of the database takes a viewer', verify, {
        mayNeedOperator: true,
      }),
    );
  return statement;
}

function readSha256(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be 64 hexadecimal digits.');
}

async function download(
  { database: { pool } }: OperatorContext,
  { partner, settlement: id, output, excelSafe = false, json }: DownloadOptions,
): Promise<void> {
  if (json && output === undefined) throw new UsageError('--json needs --output, because standard output has the statement.');
  const closed = await getClosed(pool, partner, id);
  const { statement } = closed;
  const bytes = Readable.from(writeAsClosed(pool, closed, excelSafe), { objectMode: false });
  if (output === undefined) return printStream(bytes);
  const file = await open(output, 'wx', OWNER_ONLY).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${output} cannot be created (${cause.code}). --output takes the name of a new file.`, { cause });
  });
  try {
    await pipeline(bytes, file.createWriteStream());
  } catch (error) {
    // A part of a statement would stand in the way of the next download.
    await rm(output, { force: true });
    throw error;
  }
  if (json) printJson({ file: output, line_count: statement.lineCount, csv_sha256: excelSafe ? null : statement.csvSha256 });
  else printNotice(`Written: ${output}, ${pluralise(statement.lineCount, 'line')}.`);
}

/** The bytes of the statement. Throws an `Error` at their end, when they are not those of the closing. */
async function* writeAsClosed(
  db: Queryable,
  { partnerId, settlementId, statement }: ClosedSettlement,
  isExcelSafe: boolean,
): AsyncGenerator<Buffer, void> {
  const lines = eachSettlementLine(db, { partnerId, settlementId });
  const { csvSha256, lineCount } = yield* writeStatement(lines, { isExcelSafe });
  if (lineCount === statement.lineCount && csvSha256 === statement.csvSha256) return;
  throw new Error(
    `The lines in the database differ from the statement that was closed (csv_sha256 ${statement.csvSha256}). \`settlement verify --partner ${partnerId}\` names them.`,
  );
}

async function getClosed(db: Queryable, partnerId: string, settlementId: string): Promise<ClosedSettlement> {
  const settlement = await getSettlement(db, partnerId, settlementId);
  if (!settlement.statement) throw new Error('The settlement is open. It has a statement after it is closed.');
  return settlement as ClosedSettlement;
}

async function verify({ file, partner, settlement, sha256, json }: VerifyOptions): Promise<void> {
  if (sha256 !== undefined && (partner !== undefined || settlement !== undefined))
    throw new UsageError(
      'Give --partner and --settlement, or --sha256, not both: with --sha256 the file is compared with the hash alone, and with no settlement.',
    );
  if (sha256 !== undefined) refuseBreakGlass();
  await requireReadable(file);
  const read = () => createReadStream(file);
  if (sha256 !== undefined) {
    const verdict = await verifyStatement(read(), { csvSha256: sha256 });
    return report({ ...verdict, more: 0, chainBreak: undefined }, json);
  }
  if (partner === undefined || settlement === undefined) throw new UsageError('Give --partner and --settlement, or --sha256.');
  await asOperator('viewer', async ({ database: { pool } }) => {
    if (!(await stat(file)).isFile()) throw new UsageError('--file must be a regular file: it is read twice.');
    const { partnerId } = await getPartnerNamed(pool, partner);
    report(await verifyStatementFile(pool, await getClosed(pool, partnerId, settlement), read), json);
  });
}

async function requireReadable(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read (${cause.code}).`, { cause });
  });
  if ((await stat(path)).isDirectory()) throw new UsageError(`${path} is a folder; --file must be a regular file.`);
}

function report(verdict: StatementFileVerdict, asJson: boolean | undefined): void {
  const { isIntact, problems, more, csvSha256, lineCount, form, chainBreak } = verdict;
  if (!isIntact) process.exitCode = 1;
  if (asJson) {
    const found = { csv_sha256: csvSha256, form, line_count: lineCount, problems, more_problems: more };
    printJson({ ok: isIntact, ...found, chain: chainBreak ?? null });
    return;
  }
  for (const { line, column, message } of problems) {
    const place = [line !== null && `line ${line}`, column !== null && `column ${column}`].filter(Boolean).join(', ');
    printText(`${place && `${place}: `}${message}\n`);
  }
  if (more > 0) printText(`${pluralise(more, 'further difference')}.\n`);
  if (chainBreak !== undefined) printText(`${chainBreak}\n`);
  if (!isIntact) return;
  const what = form === 'excel_safe' ? 'The file is the statement in its excel_safe form, every line' : 'The statement is';
  printText(`${what} unchanged: ${pluralise(lineCount, 'line')}, SHA-256 ${csvSha256}.\n`);
}
