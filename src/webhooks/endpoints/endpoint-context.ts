import type { Environment } from '../../domain/access/api-key.ts';
import type { Actor } from '../../domain/access/role.ts';
import { invalidRequest, problem, recordNotFound, ServiceError } from '../../domain/service-error.ts';
import type { Database } from '../../store/database.ts';
import type { EndpointId } from '../../store/webhooks/webhook-endpoint.ts';
import type { AttemptTools } from '../delivery/attempt.ts';
import type { SecretBox } from '../security/secret-box.ts';

/** The dependencies of changes of endpoints. */
export interface EndpointTools extends AttemptTools {
  readonly database: Database;
  readonly environment: Environment;
  readonly secretBox: SecretBox;
  /** Plain http and private addresses, for development only. */
  readonly allowInsecure: boolean;
  /** 127.0.0.1 and ::1, for a sandbox on the developer's own machine. */
  readonly allowThisMachine?: boolean;
}

/** How a person who waits hears of what follows a change that is committed. */
export interface FollowUp {
  readonly onProgress?: (sum: number) => void;
  /** The change is done, and this failed afterwards. Without it the call fails. */
  readonly onFailure?: (error: Error) => void;
}

/** Does what follows a change that is committed. */
export async function followUp(work: () => Promise<void>, { onFailure }: FollowUp): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!onFailure) throw error;
    onFailure(error as Error);
  }
}

/** An audit entry about an endpoint. */
export function aboutEndpoint(
  { partnerId, endpointId }: EndpointId,
  entry: { readonly action: string; readonly before: object | null; readonly after: object | null },
) {
  return { ...entry, partnerId, subjectId: endpointId };
}

/** An invalid value. */
export function refuseValue(field: string, message: string): ServiceError {
  return invalidRequest([problem(field, 'unsupported_value', message)]);
}

export function refusal(sentence: string): ServiceError {
  return new ServiceError('invalid_request', sentence);
}

/** In the words of the interface of whoever asks; of the command line without an actor. */
export function unknownEndpoint({ partnerId, endpointId }: EndpointId, actor?: Pick<Actor, 'isPartner'>): ServiceError {
  if (actor?.isPartner) return endpointNotFound();
  return recordNotFound('endpoint_id', `The partner ${partnerId} has no endpoint ${endpointId}. \`endpoint list\` shows all.`);
}

/** In the words of a partner's own interface. */
export function endpointNotFound(): ServiceError {
  return recordNotFound(
    'endpoint_id',
    'You have no webhook endpoint with this endpoint_id. GET /v1/webhook-endpoints lists yours.',
  );
}

/** In the words of a partner's own interface. */
export function deliveryNotFound(): ServiceError {
  const list = 'GET /v1/webhook-endpoints/{endpoint_id}/deliveries lists those to an endpoint.';
  return recordNotFound('delivery_id', `You have no delivery with this delivery_id. ${list}`);
}
