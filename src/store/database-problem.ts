import pg from 'pg';
import { isPoolUsedUp } from './database-errors.ts';

/** Why the database does not do all of its work. */
export const PROBLEM_REASONS = [
  'disk_full',
  'disk_failing',
  'read_only',
  'locked',
  'connections_used_up',
  'connections_busy',
  'files_used_up',
  'sign_in_refused',
  'rights_missing',
  'tables_missing',
  'other_tables',
  'certificate',
  'unreachable',
  'worker_lost',
  'starting',
  'no_answer',
  'slow',
  'wraparound',
  'clock',
  'standby',
  'not_durable',
  'other',
] as const;
export type ProblemReason = (typeof PROBLEM_REASONS)[number];

/** What is wrong with the database, in words that may pass between processes. */
export interface DatabaseProblem {
  readonly reason: ProblemReason;
  /** The words of the server, the driver or the system. */
  readonly message: string;
  /** Host and port of the worker of a cluster that has it. */
  readonly worker?: string;
}

/** The server answers, and may not be used as it is. */
export class UnfitDatabaseError extends Error {
  override readonly name = 'UnfitDatabaseError';
  readonly reason: ProblemReason;

  constructor(reason: ProblemReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** By the code of PostgreSQL, of the system or of TLS; a class of PostgreSQL by its first two characters. */
const REASONS_BY_CODE: Readonly<Record<string, ProblemReason>> = {
  '53100': 'disk_full',
  // An error of the server's system.
  '58': 'disk_failing',
  '25006': 'read_only',
  '53300': 'connections_used_up',
  '57P03': 'starting',
  // A statement that took longer than its limit.
  '57014': 'no_answer',
  '28': 'sign_in_refused',
  '42501': 'rights_missing',
  '42P01': 'tables_missing',
  // What PgBouncer answers while it does not reach its server.
  '08': 'unreachable',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENOENT: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  ETIMEDOUT: 'no_answer',
  EMFILE: 'files_used_up',
  ENFILE: 'files_used_up',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate',
  CERT_HAS_EXPIRED: 'certificate',
  CERT_NOT_YET_VALID: 'certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate',
};

/** Errors of the driver have no code. */
const REASONS_BY_WORDS: readonly (readonly [RegExp, ProblemReason])[] = [
  [/^SASL: /, 'sign_in_refused'],
  [/SSL connection/, 'certificate'],
  [/does not answer|(?:connection|read) timeout/, 'no_answer'],
  [/^Connection terminated/, 'unreachable'],
];

/** `undefined` for an error that tells nothing of the state of the database. */
export function problemOf(error: unknown): DatabaseProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  const reason = reasonOf(error);
  const worker = workerOf(error) ?? (reason === 'connections_used_up' ? OF_WORKER.exec(message)?.[1] : undefined);
  return reason === undefined ? problemOf(error.cause) : { reason, message, ...(worker !== undefined && { worker }) };
}

/** The worker of a cluster that refused a statement of the coordinator. */
export function workerOf(error: Error): string | undefined {
  return error instanceof pg.DatabaseError ? AT_WORKER.exec(error.where ?? '')?.[1] : undefined;
}

/** Of an error in the words of the server itself. */
export function problemOfServer(error: unknown): DatabaseProblem | undefined {
  return error instanceof pg.DatabaseError ? problemOf(error) : undefined;
}

/**
 * Whether a session refused to write because its transactions are read-only. `default_transaction_read_only` of the database or the role is
 * read when a session begins: this one keeps refusing after the setting is changed.
 */
export function isOfReadOnlySession(error: unknown): boolean {
  return problemOf(error)?.reason === 'read_only';
}

/** The coordinator of a distributed database answers, and a node with rows does not. */
const OF_WORKER =
  /^(?:connection to the remote node|could not establish any connections to the node|no answer in time from the node) (?:\S*@)?(\S+)/;

/**
 * A worker that the coordinator reaches, and that did not end a durable read in time.
 *
 * @param node Its host and port.
 */
export function lateWorker(node: string, cause: Error): UnfitDatabaseError {
  const message = `no answer in time from the node ${node} to a read that waits for the node's synchronous standby, if one is named: ${cause.message}`;
  return new UnfitDatabaseError('worker_lost', message);
}

/** What the coordinator was told by a node that works, and has no connection left. */
const USED_UP = /too many (?:clients|connections)|remaining connection slots/;

/** The context of what a worker says. */
const AT_WORKER = /while executing command on (\S+)/;

/** A worker has ended a session, such as one that was idle in a transaction. Who finds a lost worker tells more: it connects anew. */
const ENDED_SESSION = /: connection not open$/;

/** Host and port of the worker of a cluster that has the problem, or does not answer; `undefined` of any other server. */
export function nodeOf({ worker, message }: DatabaseProblem): string | undefined {
  return worker ?? OF_WORKER.exec(message)?.[1];
}

/** Whether a worker that works ended a session: the same work may succeed at once. */
export function hasEndedSession({ reason, message }: DatabaseProblem): boolean {
  return reason === 'worker_lost' && ENDED_SESSION.test(message);
}

/** Whether the coordinator of a cluster gets no connection to a worker: what needs the worker's partners fails, and all else works. */
export function isWithoutWorker(problem: DatabaseProblem | undefined): boolean {
  return problem?.reason === 'worker_lost' || (problem?.reason === 'connections_used_up' && problem.worker !== undefined);
}

function reasonOf(error: Error): ProblemReason | undefined {
  if (error instanceof UnfitDatabaseError) return error.reason;
  if (isPoolUsedUp(error)) return 'connections_busy';
  if (error instanceof pg.DatabaseError && OF_WORKER.test(error.message))
    return USED_UP.test(error.message) ? 'connections_used_up' : 'worker_lost';
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === '42501' && isOfOwnFile(error)) return 'disk_failing';
  const ofClass = error instanceof pg.DatabaseError ? REASONS_BY_CODE[code.slice(0, 2)] : undefined;
  const ofWords = REASONS_BY_WORDS.find(([words]) => words.test(message))?.[1];
  return REASONS_BY_CODE[code] ?? ofClass ?? ofWords ?? reasonOfAddresses(error);
}

/**
 * Whether the system refuses a file to the server, as on a file system that became read-only: the code is that of a right that a role lacks.
 * The source file tells it in any language, and the words also where the coordinator of a cluster passes on what a worker says.
 */
function isOfOwnFile({ message, file = '' }: Error & { readonly file?: string }): boolean {
  return STORAGE.test(file) || message.startsWith('could not ');
}

/** The source files of PostgreSQL that open and write its own files. */
const STORAGE = /^(?:md|fd|slru|buffile|sync|copydir|relmapper|xlog\w*)\.c$/;

/** A host has several addresses, and the code of the error is that of the first: this machine may have no network for it. */
function reasonOfAddresses(error: Error): ProblemReason | undefined {
  return error instanceof AggregateError ? error.errors.map(reasonOf).find((reason) => reason !== undefined) : undefined;
}
