/**
 * The limits of the service, by the names in its metrics. Each is counted when it refuses a request or ends one under way.
 * docs/operating.md has a row for each.
 */
export const LIMITS = [
  'connection_pipelined',
  'connection_stalled',
  'connection_idle',
  'connection_suspect',
  'in_flight_early',
  'in_flight',
  'rate',
  'wrong_keys',
  'request_late',
  'request_chunks',
  'transfer_share',
  'transfers',
  'transfer_idle',
  'transfer_slow',
  'transfer_long',
  'reference_in_flight',
  'quota_bytes',
  'quota_lists',
  'sandbox_slow',
  'sandbox_samples',
  'sandbox_changes',
  'endpoint_challenges',
  'endpoint_additions',
  'endpoint_changes',
] as const;

export type Limit = (typeof LIMITS)[number];
