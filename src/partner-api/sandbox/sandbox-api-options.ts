import type { Readiness } from '../../operations/sandbox/readiness.ts';
import type { SandboxCaller } from '../../operations/sandbox/sandbox-actor.ts';
import type { SandboxOperations } from '../../operations/sandbox/sandbox-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import type { StoredAnswerCall } from '../stored-answer-post.ts';

/** The dependencies of the sandbox routes besides those of the others. */
export interface SandboxApiOptions extends PartnerApiOptions {
  readonly sandbox: SandboxOperations;
  readonly readiness: Readiness;
}

export function callerIn({ caller, correlationId, work }: StoredAnswerCall<unknown, unknown>): SandboxCaller {
  return { partnerId: caller.partnerId, keyId: caller.keyId, correlationId, work };
}
