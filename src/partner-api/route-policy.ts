import type { RecoverableOperation } from '../domain/recovery-verdict.ts';

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
  /** Set when an error could be misread as a verdict on a contribution: it then carries the recovery verdict. */
  readonly recoverable?: RecoverableOperation;
}

/**
 * The policies of all routes, in the order in which their requests are shed.
 *
 * @see docs/spec/decisions.md#6-rate-limits: reports are shed first, then estimates, then new confirmations; look-ups of contributions
 * last.
 */
export const REPORT = { trafficClass: 'reports', inFlightMax: 400, isWrite: false } as const satisfies RoutePolicy;
export const REPORT_WRITE = { ...REPORT, isWrite: true } as const satisfies RoutePolicy;
export const ESTIMATE_WRITE = { trafficClass: 'writes', inFlightMax: 480, isWrite: true } as const satisfies RoutePolicy;
export const ESTIMATE_LOOKUP = { trafficClass: 'lookups', inFlightMax: 560, isWrite: false } as const satisfies RoutePolicy;
export const CONFIRMATION = {
  trafficClass: 'writes',
  inFlightMax: 640,
  isWrite: true,
  recoverable: 'confirm',
} as const satisfies RoutePolicy;
export const CONTRIBUTION_LOOKUP = {
  trafficClass: 'lookups',
  inFlightMax: 4_096,
  isWrite: false,
  recoverable: 'lookup',
} as const satisfies RoutePolicy;
