import type { IncomingMessage } from 'node:http';
import { isLongIdentifier, newId } from '../../domain/identifiers.ts';

/** The correlation id of a request: as sent, or a new one without a well-formed one. */
export function correlationIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-correlation-id'];
  return isLongIdentifier(sent) ? sent : newId('corr');
}
