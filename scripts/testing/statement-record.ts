import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sent for no file: the migrations, on whatever the run is made. */
const THE_RUN = '';

/** A statement that the service sent, and the files of tests that made it. */
export interface SentStatement {
  readonly text: string;
  readonly files: ReadonlySet<string>;
}

export interface StatementRecord {
  /** Of the processes that record. */
  readonly env: Readonly<Record<string, string>>;
  read(): SentStatement[];
}

/** @param folder For what is recorded, below which every user may act. */
export function openStatementRecord(folder: string, repository: string): StatementRecord {
  const records = join(folder, 'statements');
  mkdirSync(records, { mode: 0o777 });
  // Processes of users that have no way to the repository load it as well.
  const recorder = join(folder, 'record-statements.mjs');
  copyFileSync(join(import.meta.dirname, 'record-statements.mjs'), recorder);
  const options = `${process.env['NODE_OPTIONS'] ?? ''} --import=file://${recorder}`;
  return {
    env: { TEST_STATEMENTS: records, TEST_REPOSITORY: repository, NODE_OPTIONS: options },
    read: () => readStatements(records),
  };
}

const SHOWN_CHARACTERS = 300;

/**
 * Says which statements no file of a list made the service send. It is a hint and no failure: what the service sends by itself, such as a look
 * at endpoints for which deliveries wait, is sent in one run by another file than in the next.
 */
export function reportUncovered(statements: readonly SentStatement[], list: readonly string[]): void {
  const uncovered = statements.filter(({ files }) => files.isDisjointFrom(new Set([...list, THE_RUN])));
  for (const { text, files } of uncovered) {
    // Two that read the same columns differ by what follows.
    const line = text
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^select .*? from /, 'select … from ')
      .slice(0, SHOWN_CHARACTERS);
    console.log(
      `In this run no file of EVERY_STATEMENT (scripts/test.ts) sent: ${line}\n  It was sent by ${[...files].sort().join(', ')}.`,
    );
  }
  console.log(`The tests made the service send ${statements.length} statements.`);
}

function readStatements(folder: string): SentStatement[] {
  const files = new Map<string, Set<string>>();
  for (const name of readdirSync(folder))
    for (const line of readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')) {
      const { file, text: sent } = JSON.parse(line) as { file?: string; text: string };
      const text = withoutNumbers(sent);
      const known = files.get(text) ?? new Set();
      files.set(text, known.add(file ?? THE_RUN));
    }
  return [...files].map(([text, each]) => ({ text, files: each }));
}

/** The same text for any number of inserted rows, and for any time that a transaction waits for a lock. */
function withoutNumbers(text: string): string {
  return text
    .replace(/(\svalues\s+\(.*?\)), \(.*\)(?=\s+on conflict|\s+returning|$)/s, '$1, …')
    .replace(/^(begin; set local lock_timeout = )\d+$/, '$1…');
}
