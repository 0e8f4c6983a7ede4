/** Confirms contributions, receives events and reads settlements, for partners' servers. */
export type { Association } from './association.ts';
export type { Associations } from './associations.ts';
export type { Contributions, RecordedPeriod } from './contributions.ts';
export * from './errors.ts';
export type { EstimateFields, Estimates, PostOptions } from './estimates.ts';
export { expressHandler, fastifyPlugin, nodeHandler } from './events/adapters.ts';
export type {
  AdjustedEvent,
  ConfirmedEvent,
  EnvironmentalStatusEvent,
  EventType,
  PartnerEvent,
  SettlementClosedEvent,
  SettlementCreatedEvent,
} from './events/event.ts';
export { type Handled, type Inbox, type InboxEvent, type InboxOptions, MemoryInbox } from './events/inbox.ts';
export { PostgresInbox } from './events/postgres-inbox.ts';
export type { EventHandlers, Receiver, ReceiverOptions } from './events/receiver.ts';
export type { SignatureProblem } from './events/signature.ts';
export { SqliteInbox } from './events/sqlite-inbox.ts';
export { type ExactJson, escapeBidi, parseExactJson, stringifyExactJson } from './exact-json.ts';
export type * from './generated/types.ts';
export type { CallOptions } from './http/request.ts';
export type { Fetch } from './http/transport.ts';
export type { EventId, IdempotencyKey, Intent, IntentFields } from './intent.ts';
export type { Confirmed, ContributionRecord, Outcome, OutcomeCases, Pending, Refused, Unknown } from './outcome.ts';
export { type Events, PartnerImpact, type PartnerImpactOptions } from './partner-impact.ts';
export type { ListedContribution, ReconcileOptions } from './reconcile.ts';
export { RestorationPermit } from './restoration-permit.ts';
export type { Settlements } from './settlements.ts';
