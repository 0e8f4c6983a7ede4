import type { IncomingHttpHeaders } from 'node:http';
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
import type { ErrorDetail } from '../../domain/service-error.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import type { Problem } from '../validation/problems.ts';

export const SCENARIO_HEADER = 'x-sandbox-scenario';

export interface Asked {
  readonly request: FastifyRequest;
  readonly operation: RehearsedOperation;
  readonly partnerOrderRef: string;
}

/**
 * What is wrong with the header of a confirmation or an estimate. In production it is ignored, whatever it contains.
 *
 * @see docs/spec/decisions.md#8-sandbox.
 */
export function scenarioProblems(
  { environment }: Pick<PartnerApiOptions, 'environment'>,
  operation: RehearsedOperation,
): (headers: IncomingHttpHeaders) => readonly Problem[] {
  return (headers) => {
    const header = headers[SCENARIO_HEADER];
    if (environment !== 'sandbox' || header === undefined || scenarioOfHeader(header, operation)) return [];
    return [{ errorCode: 'invalid_request', describe: () => notAScenario(String(header), operation) }];
  };
}

/**
 * The scenario that a confirmation or an estimate requests, by its header or else by its reference; `undefined` without one. In
 * production the header is ignored and counted, and a reference has no effect.
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
  return header === undefined
    ? forOperation(scenarioOfReference(partnerOrderRef), operation)
    : scenarioOfHeader(header, operation);
}

function scenarioOfHeader(header: string | string[], operation: RehearsedOperation): Scenario | undefined {
  return typeof header === 'string' ? forOperation(readScenario(header), operation) : undefined;
}

function forOperation(scenario: Scenario | undefined, operation: RehearsedOperation): Scenario | undefined {
  return scenario && isFor(scenario, operation) ? scenario : undefined;
}

function notAScenario(text: string, operation: RehearsedOperation): ErrorDetail {
  const message = `X-Sandbox-Scenario: ${describeForm(text, operation)}.`;
  return { field: 'X-Sandbox-Scenario', code: 'unsupported_value', message };
}

/** Of a known scenario only the parameter can be wrong. */
function describeForm(text: string, operation: RehearsedOperation): string {
  const name = scenarioNameOf(text);
  if (name !== undefined && isFor({ name }, operation)) return describeParameter(name);
  const names = SCENARIO_NAMES.filter((each) => isFor({ name: each }, operation));
  return `send one of ${names.join(', ')}, with at most one parameter, such as service_unavailable;times=2 or slow;ms=8000`;
}
