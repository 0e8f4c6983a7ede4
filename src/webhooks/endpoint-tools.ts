import type { Environment } from '../domain/api-key.ts';
import { ServiceError } from '../domain/service-error.ts';
import type { Database } from '../store/database.ts';
import type { AttemptTools } from './attempt.ts';
import type { SecretBox } from './secret-box.ts';

/** What the changes of endpoints need. */
export interface EndpointTools extends AttemptTools {
  readonly database: Database;
  readonly environment: Environment;
  readonly secretBox: SecretBox;
  /** Plain http and private addresses, for development only. */
  readonly allowInsecure: boolean;
}

/** Another change of the same endpoint is short. */
export const LOCK_TIMEOUT_MS = 4_000;

export function refusal(sentence: string): ServiceError {
  return new ServiceError('invalid_request', sentence);
}

export function unknownEndpoint(partnerId: string, endpointId: string): ServiceError {
  return refusal(`The partner ${partnerId} has no endpoint ${endpointId}. \`endpoint list\` shows all.`);
}
