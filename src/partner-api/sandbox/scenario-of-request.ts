import type { FastifyRequest } from 'fastify';
import {
  describeParameter,
  isFor,
  type RehearsedOperation,
  readScenario,
  SCENARIO_NAMES,
  type Scenario,
  scenarioNameOf,
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
  throw notAScenario(String(header), operation);
}

function notAScenario(text: string, operation: RehearsedOperation): ServiceError {
  const message = `X-Sandbox-Scenario: ${describeForm(text, operation)}.`;
  return new ServiceError('invalid_request', message, {
    details: [{ field: 'X-Sandbox-Scenario', code: 'unsupported_value', message }],
  });
}

/** Of a known scenario only the parameter can be wrong. */
function describeForm(text: string, operation: RehearsedOperation): string {
  const name = scenarioNameOf(text);
  if (name !== undefined && isFor({ name }, operation)) return describeParameter(name);
  const names = SCENARIO_NAMES.filter((each) => isFor({ name: each }, operation));
  return `send one of ${names.join(', ')}, with at most one parameter, such as service_unavailable;times=2 or slow;ms=8000`;
}
