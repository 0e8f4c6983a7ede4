import { type DatabaseProblem, hasEndedSession, type ProblemReason } from '../store/database-problem.ts';

interface Words {
  readonly state: string;
  readonly nextStep: string;
  /** Look-ups may be answered all the same: a process that gets no requests would take them from partners too. */
  readonly isReady?: true;
  /** Work meets it where a look that succeeds proves nothing, as on a new connection. */
  readonly isNoted?: true;
}

const WORDS: Readonly<Record<ProblemReason, Words>> = {
  disk_full: {
    state: 'its disk is full: look-ups work, and confirmations are answered with 503',
    nextStep: 'Free space on the disk of the database, or enlarge it; the service goes on without a restart',
    isReady: true,
    isNoted: true,
  },
  disk_failing: {
    state: 'its disk or its file system refuses it a file: what needs the file is answered with 503',
    nextStep:
      'Look at the disk and the mount on the machine of the database (dmesg), the owner of its files, and its log. It is no right of the role. Repair a file system that became read-only before it is mounted for writing again',
    isReady: true,
    isNoted: true,
  },
  read_only: {
    state: 'it is read-only',
    nextStep:
      'Check whether this server is the primary. If it was taken out of use, let DATABASE_URL lead to the primary; otherwise set default_transaction_read_only to off where it is on',
    isNoted: true,
  },
  locked: {
    state: 'sessions wait for a lock',
    nextStep: 'Ask whoever owns the session; select pg_terminate_backend(PID) ends it',
    isReady: true,
  },
  connections_used_up: {
    state: 'it takes no further connections',
    nextStep: 'End sessions that nobody needs (select * from pg_stat_activity), or raise max_connections',
    isNoted: true,
  },
  connections_busy: {
    state: 'all connections of one kind that a process has to it are in use, and what waits in vain for one is answered with 503',
    nextStep:
      'Find what takes long (select * from pg_stat_activity): a job, a closing, or many changes of a partner or an operator at once',
    isReady: true,
  },
  files_used_up: {
    state: 'a process of the service, or its machine, may open no further file, and so makes no connection to it',
    nextStep: 'Give the process more open files (LimitNOFILE), and let the proxy limit the connections that it passes on',
    isNoted: true,
  },
  sign_in_refused: {
    state: 'it refuses the sign-in of the service',
    nextStep:
      'Correct the role or the password in DATABASE_URL and restart the service, or correct the role or pg_hba.conf in the database, which takes no restart',
    isNoted: true,
  },
  rights_missing: {
    state: 'its role lacks a right: what needs it is answered with 503',
    nextStep:
      'Grant the role in DATABASE_URL what it lacks, or migrate as the role that owns the tables; disable row-level security where it is on. The service goes on without a restart',
    isNoted: true,
  },
  tables_missing: {
    state: 'its tables are not found: what needs them is answered with 503',
    nextStep:
      'Check that DATABASE_URL leads to the database of this installation, and that nobody changed search_path; or restore what was dropped before you migrate or restart the service, which would make new, empty tables; doctor names another schema that has them, unless DATABASE_URL names a search_path',
    isNoted: true,
  },
  other_tables: {
    state: 'a new connection finds other tables than the open ones do: it is refused, and what waits for it is answered with 503',
    nextStep:
      'Set search_path of the role and of the database as it was. Restart the service only where the tables are wanted that the new connection finds',
    isNoted: true,
  },
  certificate: {
    state: 'its certificate is not trusted, a file that DATABASE_URL names for it cannot be read, or it offers no TLS',
    nextStep:
      'Renew the certificate of the database, or put its authority into the file of sslrootcert, which the service must be able to read (no restart); or correct sslmode and sslrootcert in DATABASE_URL and restart the service',
    isNoted: true,
  },
  unreachable: {
    state: 'it cannot be reached',
    nextStep: 'Start it, or repair the network and the name in DATABASE_URL; the service connects anew by itself',
  },
  worker_lost: {
    state: 'a worker of the cluster does not answer: its partners get 503, and all others are answered',
    nextStep:
      'Start the worker, or promote its synchronous standby and name that to the coordinator (citus_update_node). If the worker runs and waits for that standby, take the standby out of synchronous_standby_names of the worker and reload its settings',
    isReady: true,
    isNoted: true,
  },
  starting: { state: 'it is starting or stopping', nextStep: 'Wait, and read its log when that takes longer than a minute' },
  standby: {
    state: 'it is a standby',
    nextStep:
      'Let DATABASE_URL lead to the primary. Promote this server only if the primary is lost for good and this standby was synchronous',
    isNoted: true,
  },
  not_durable: { state: 'a crash would lose contributions', nextStep: 'Set the settings that the message names to on again' },
  no_answer: {
    state: 'it does not answer in time',
    nextStep: 'Look at its machine, its disk, the network, its locks, and the standby for which its commits wait',
  },
  slow: {
    state: 'it is slow: requests take seconds, and some are answered with 503',
    nextStep: 'Look at its machine, its disk, the network and its locks',
    isReady: true,
  },
  wraparound: {
    state: 'its transaction ids run out: all works until none is left, and then nothing is recorded',
    nextStep:
      'End what keeps its VACUUM from freezing rows: old transactions, prepared transactions and replication slots; then run VACUUM in the database that the message names',
    isReady: true,
  },
  clock: {
    state: 'its clock is not that of this machine: records have another time than signatures and the log',
    nextStep: 'Synchronise both clocks (NTP): receivers refuse an event that is dated five minutes from their clock',
    isReady: true,
  },
  other: { state: 'it cannot commit', nextStep: 'Read the message and the log of the database' },
};

/** Whether the process may go on taking requests. */
export function isReadyDespite({ reason }: DatabaseProblem): boolean {
  return WORDS[reason].isReady === true;
}

/** A look at the coordinator tells nothing of a worker. One statement that took too long is no trouble of a worker yet. */
export function isNoted(problem: DatabaseProblem): boolean {
  const { reason, worker } = problem;
  if (hasEndedSession(problem)) return false;
  return WORDS[reason].isNoted === true || (worker !== undefined && reason !== 'no_answer');
}

/** What is wrong and what to do about it. */
export function sentenceOf({ reason, worker }: DatabaseProblem): string {
  const where = worker === undefined ? '' : ` on its worker ${worker}, whose partners alone are concerned`;
  return `the database has a problem${where}: ${WORDS[reason].state}. ${nextStepOf(reason)}`;
}

/** What an operator does about a problem of the database, without a full stop. */
export function nextStepOf(reason: ProblemReason): string {
  return WORDS[reason].nextStep;
}
