import type { FastifyRequest } from 'fastify';
import {
  isFor,
  type RehearsedOperation,
  readScenario,
  SCENARIO_NAMES,
  type Scenario,
  scenarioOfReference,
} from '../../domain/sandbox/scenarios.ts';
import { ServiceError } from '../../domain/service-error.ts';
import type { PartnerApiOptions } from '../app.ts';

export const SCENARIO_HEADER = 'x-sandbox-scenario';

export interface Asked {
  readonly request: FastifyRequest;
  readonly operation: RehearsedOperation;
  readonly partnerOrderRef: string;
}

/**
 * The scenario that a confirmation or an estimate requests, by its header or else by its reference; `undefined` without one. In
 * production the header is ignored and counted, and a reference has no effect.
 *
 * @throws ServiceError `invalid_request` for a header with another text.
 * @see docs/spec/decisions.md#8-sandbox.
 */
export function scenarioOfRequest(
  { environment, onSandboxRequest }: Pick<PartnerApiOptions, 'environment' | 'onSandboxRequest'>,
  { request, operation, partnerOrderRef }: Asked,
): Scenario | undefined {
  const header = request.headers[SCENARIO_HEADER];
  if (environment !== 'sandbox') {
    if (header !== undefined) onSandboxRequest?.('scenario');
    return undefined;
  }
  if (header === undefined) {
    const scenario = scenarioOfReference(partnerOrderRef);
    return scenario && isFor(scenario, operation) ? scenario : undefined;
  }
  const scenario = typeof header === 'string' ? readScenario(header) : undefined;
  if (scenario && isFor(scenario, operation)) return scenario;
  throw notAScenario(operation);
}

function notAScenario(operation: RehearsedOperation): ServiceError {
  const names = SCENARIO_NAMES.filter((name) => isFor({ name }, operation));
  const message = `X-Sandbox-Scenario must be one of ${names.join(', ')}, with at most one parameter, such as service_unavailable;times=2, pending_then_failed;after=30s or slow;ms=8000.`;
  return new ServiceError('invalid_request', message, {
    details: [{ field: 'X-Sandbox-Scenario', code: 'unsupported_value', message }],
  });
}
