import { hash } from 'node:crypto';

/** The chain value before a partner's first statement: 64 zeros. */
const BEFORE_THE_FIRST = '0'.repeat(64);

/** The data of a closed settlement's statement that reveal a change in it or in any statement before it. */
export interface ChainedStatement {
  /** The number of the settlement among those of its partner, from 1 without gaps. */
  readonly sequence: bigint;
  /** SHA-256 of the file, 64 lower-case hexadecimal digits. */
  readonly csvSha256: string;
  /** `null` for the first. */
  readonly previousCsvSha256: string | null;
  readonly chainSha256: string;
}

/** The first break of a chain. */
export interface ChainBreak {
  readonly sequence: bigint;
  readonly code: 'sequence_gap' | 'other_previous' | 'other_chain';
  readonly message: string;
}

/**
 * The chain value of a statement and all before it: SHA-256 of the previous value and the file's SHA-256, both as hexadecimal text, so
 * that `printf %s%s … | sha256sum` gives it too. `previous_csv_sha256` alone binds neighbours: a person who changes a statement and its
 * successor's field would leave no trace in the statements after them. This value changes in every one.
 *
 * @param previous The chain value of the partner's previous statement; `null` for the first.
 * @see docs/spec/settlements.md#2-settlement, Statement: chained to the previous statement's.
 */
export function chainValue(previous: string | null, csvSha256: string): string {
  return hash('sha256', (previous ?? BEFORE_THE_FIRST) + csvSha256, 'hex');
}

/**
 * The first break of the chain; `undefined` when there is none.
 *
 * @param statements A partner's, by sequence. When they do not begin with the first, earlier statements are not checked.
 */
export function findChainBreak(statements: Iterable<ChainedStatement>): ChainBreak | undefined {
  let previous: ChainedStatement | undefined;
  for (const statement of statements) {
    const found = checkLink(previous, statement);
    if (found) return { sequence: statement.sequence, ...found };
    previous = statement;
  }
  return undefined;
}

function checkLink(
  previous: ChainedStatement | undefined,
  statement: ChainedStatement,
): Omit<ChainBreak, 'sequence'> | undefined {
  const { sequence, csvSha256, previousCsvSha256, chainSha256 } = statement;
  if (previous && sequence !== previous.sequence + 1n)
    return { code: 'sequence_gap', message: `Settlement ${sequence} follows settlement ${previous.sequence}.` };
  if (!previous && sequence !== 1n) return undefined;
  if (previousCsvSha256 !== (previous?.csvSha256 ?? null))
    return {
      code: 'other_previous',
      message: `Settlement ${sequence} was closed after another statement than the previous one.`,
    };
  if (chainSha256 !== chainValue(previous?.chainSha256 ?? null, csvSha256))
    return {
      code: 'other_chain',
      message: `The chain value of settlement ${sequence} does not match its statement and the earlier ones.`,
    };
  return undefined;
}
