import type { RecoverableOperation } from '../domain/recovery-verdict.ts';
import { IN_FLIGHT_MAX } from './limits/shedding-order.ts';

/** The class of a request, for the partner's rates. */
export type TrafficClass = 'writes' | 'lookups' | 'reports';

/** What a route declares besides its schema. */
export interface RoutePolicy {
  readonly trafficClass: TrafficClass;
  /** The route's requests are shed when this many are in flight. */
  readonly inFlightMax: number;
  readonly isWrite: boolean;
  /** Whether the key needs the permission `manage`. */
  readonly isManaging?: boolean;
  /** Whether it is one of the changes of a sandbox that are limited together. */
  readonly isSandboxChange?: boolean;
  /** Set when an error could be misread as a verdict on a contribution: it then carries the recovery verdict. */
  readonly recoverable?: RecoverableOperation;
}

/** The policies of all routes. */
export const REPORT = {
  trafficClass: 'reports',
  inFlightMax: IN_FLIGHT_MAX.report,
  isWrite: false,
} as const satisfies RoutePolicy;
export const REPORT_WRITE = { ...REPORT, isWrite: true } as const satisfies RoutePolicy;
export const ESTIMATE_WRITE = {
  trafficClass: 'writes',
  inFlightMax: IN_FLIGHT_MAX.estimateWrite,
  isWrite: true,
} as const satisfies RoutePolicy;
export const ESTIMATE_LOOKUP = {
  trafficClass: 'lookups',
  inFlightMax: IN_FLIGHT_MAX.estimateLookup,
  isWrite: false,
} as const satisfies RoutePolicy;
export const CONFIRMATION = {
  trafficClass: 'writes',
  inFlightMax: IN_FLIGHT_MAX.confirmation,
  isWrite: true,
  recoverable: 'confirm',
} as const satisfies RoutePolicy;
export const CONTRIBUTION_LOOKUP = {
  trafficClass: 'lookups',
  inFlightMax: IN_FLIGHT_MAX.contributionLookup,
  isWrite: false,
  recoverable: 'lookup',
} as const satisfies RoutePolicy;
