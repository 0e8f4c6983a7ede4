/**
 * The problems of the embedded database, in words for the person who started the service. This file has only sentences; the code that
 * meets a condition detects it.
 */

/** `code` of every error of this folder whose message can be shown as it is, without a stack. */
export const EMBEDDED_PROBLEM = 'embedded_database_unavailable';

/** The end of a sentence when nothing on this machine will help. */
export const USE_OWN_DATABASE = 'Or set DATABASE_URL to your own PostgreSQL (15 or later).';

/** For a command that looks at another database than the service. */
export const USE_SETTINGS_OF_SERVICE =
  'If the service has its database elsewhere, give this command the same DATA_DIR or DATABASE_URL.';

/** An error whose message is a complete sentence; its `code` is {@link EMBEDDED_PROBLEM}. */
export function embeddedProblem(sentence: string, cause?: unknown): Error {
  return Object.assign(new Error(sentence, cause === undefined ? {} : { cause }), { code: EMBEDDED_PROBLEM });
}

/**
 * Translates a message of the operating system or of PostgreSQL into what the person can do about it.
 *
 * @param words A message of Node (`ENOSPC: …`) or of a program (`… No space left on device`).
 * @param place The folder that was to be written.
 */
export function explainFailure(words: string, place: string): string {
  const reason = words.trim();
  if (/shared memory segment.*No space left on device/i.test(reason)) {
    return `The shared memory of this machine, /dev/shm, is full or too small: free some of it, or enlarge it (of a container with --shm-size), and start again. (${reason})`;
  }
  if (/ENOSPC|EDQUOT|No space left on device|quota exceeded/i.test(reason)) {
    return `The disk that holds ${place} is full: free some space (a new database takes about 100 MB) and start again. (${reason})`;
  }
  if (/EROFS|Read-only file system/i.test(reason)) {
    return `${place} is on a read-only file system: choose another folder with DATA_DIR. ${USE_OWN_DATABASE} (${reason})`;
  }
  if (/EEXIST|ENOTDIR|ENOTEMPTY/.test(reason)) {
    return `${place} has files that are not a database: move them away, or choose another folder with DATA_DIR. (${reason})`;
  }
  if (/EACCES|EPERM|Permission denied/i.test(reason)) {
    return `${whoAmI()} cannot use ${place}: change the owner of the folder, or choose another folder with DATA_DIR. (${reason})`;
  }
  return `The embedded PostgreSQL in ${place} did not start: ${reason || 'it gave no reason'}.`;
}

/** Runs file-system work; an error of the operating system becomes a sentence about `place`. */
export function explainingFailure<Result>(place: string, work: () => Result): Result {
  try {
    return work();
  } catch (failure) {
    if (failure instanceof Error && 'syscall' in failure) throw embeddedProblem(explainFailure(failure.message, place), failure);
    throw failure;
  }
}

export function whoAmI(): string {
  return `user ${process.getuid?.() ?? 'unknown'}`;
}
