import { CommanderError } from 'commander';
import { ConfigError } from '../../config.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { UnverifiedRecordError } from '../../operations/audit/unverified-record.ts';
import { PartnersLeftError } from '../../operations/for-each-partner.ts';
import { sayWithoutWorker } from '../../operations/overview/lost-partners.ts';
import { nextStepOf } from '../../service/database-problem-words.ts';
import { hasEndedSession, isWithoutWorker, problemOf, problemOfServer } from '../../store/database-problem.ts';
import { CommitUnknownError } from '../../store/transaction.ts';
import { UsageError } from './options.ts';

/**
 * Whether the words of the command, a value, a file or the settings have to change. An error with a field is such a mistake, unless the
 * value is not possible now; after any other error the same command may succeed later, or have succeeded: `outcome_unknown`.
 */
export function isMistake(error: unknown): boolean {
  if (error instanceof CommanderError || error instanceof UsageError || error instanceof ConfigError) return true;
  if (!(error instanceof ServiceError)) return false;
  const hasWrongField = error.details.some(({ code }) => code !== 'not_possible');
  return error.code.endsWith('_not_found') || (error.code === 'invalid_request' && hasWrongField);
}

/** For people. The words of the database about its own state say neither what works nor what helps. */
export function messageOf(error: unknown): string {
  const { message } = error as Error;
  const advice = error instanceof CommitUnknownError ? ' Check whether the change was made before you repeat the command.' : '';
  const found = problemOf(error);
  if (found && hasEndedSession(found))
    return `A worker of the database ended a session of this command.${advice || ' Repeat it.'} ${message}`;
  if (found && isWithoutWorker(found) && !(error instanceof PartnersLeftError))
    return `${sayWithoutWorker(found)} Nothing that includes its partners can be read or changed meanwhile. Commands for one partner on another worker work. ${nextStepOf(found.reason)}. ${message}${advice}`;
  if (error instanceof CommitUnknownError) return `${message}${advice}`;
  const problem = problemOfServer(error);
  if (!problem) return message;
  const speaker = problem.worker === undefined ? 'The database' : `The worker ${problem.worker} of the database`;
  return `${speaker} says: ${message}. ${nextStepOf(problem.reason)}.`;
}

/** An error in the JSON output. `code` is a code of the interface, or says where the mistake is. */
export function errorToWire(error: unknown): object {
  const message = messageOf(error).replace(/^error: /, '');
  if (error instanceof ServiceError) return { error: { code: error.code, message, details: error.details } };
  return { error: { code: codeOf(error), message, details: [] } };
}

function codeOf(error: unknown): string {
  if (error instanceof ConfigError) return 'invalid_settings';
  if (error instanceof UnverifiedRecordError) return 'record_modified';
  if (error instanceof CommitUnknownError) return 'outcome_unknown';
  return isMistake(error) ? 'invalid_arguments' : 'failed';
}
