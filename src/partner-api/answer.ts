import type { Limit } from '../domain/limit-names.ts';
import type { Caller } from './request-context.ts';

/** The data of a request after its connection ended, for the log and the metrics. */
export interface Answer {
  readonly correlationId: string;
  readonly partnerId: string | undefined;
  /** The id of the key that it was called with; it is no secret. */
  readonly keyId: string | undefined;
  /** Who called with a key that is revoked or has expired. */
  readonly endedKey?: Caller | undefined;
  readonly operation: string | undefined;
  /** 0 when the client left before the answer. */
  readonly status: number;
  readonly errorCode: string | undefined;
  /** The limit that refused it. */
  readonly limit: Limit | undefined;
  /** What was thrown, when the answer says that the outcome is unknown. */
  readonly failure?: unknown;
  readonly durationMs: number;
}
