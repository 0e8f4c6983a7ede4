/** Every statement that the service sends over and over, by the store's own functions: on behalf of partners, or while nobody calls. */
import assert from 'node:assert/strict';
import { draftContribution, draftEstimate, linkOf, withLink } from '../../../bench/rows/hot-statements.ts';
import { calculationId, eventId, idempotencyKey, newToken, orderRef, transactionId } from '../../../bench/rows/identifiers.ts';
import { newId } from '../../../src/domain/identifiers.ts';
import { findHeldApiKeys, hadApiKeyWithin, updateApiKeysLastUsed } from '../../../src/store/access/api-key.ts';
import { findPartner, findPartners, listPartners } from '../../../src/store/access/partner.ts';
import { listAuditEntriesOfRecord, listAuditEntriesOfRecords } from '../../../src/store/audit/audit-entry.ts';
import { findAuditHead, lockAuditHead } from '../../../src/store/audit/audit-head.ts';
import { listAuditedRules } from '../../../src/store/audit/audited-subject.ts';
import { readClock } from '../../../src/store/clock.ts';
import {
  findContributionConflicts,
  findContributionsById,
  findListedContributions,
  lockContribution,
} from '../../../src/store/contributions/contribution.ts';
import { type ContributionDraft, insertContributions } from '../../../src/store/contributions/contribution-insert.ts';
import {
  findContributionReview,
  listOverdueContributionReviews,
  listPartnersWithOverdueReviews,
} from '../../../src/store/contributions/contribution-review.ts';
import { addToDailyCount, lockDailyCount } from '../../../src/store/contributions/daily-count.ts';
import { lookUpContributionsByEvent, lookUpContributionsById } from '../../../src/store/contributions/looked-up-contribution.ts';
import type { Database, Queryable } from '../../../src/store/database.ts';
import { findEmissionsLinkByKey, insertEmissionsLink } from '../../../src/store/emissions/emissions-link.ts';
import { findEstimatesById, findEstimatesByKey, insertEstimates } from '../../../src/store/emissions/estimate.ts';
import { assignSequences, assignSequencesOfSeveral } from '../../../src/store/events/assign-sequences.ts';
import { assignSequencesOnNode } from '../../../src/store/events/assign-sequences-on-node.ts';
import {
  deleteOldEvents,
  deleteOldEventsOnNode,
  deleteOldTests,
  listPartnersWithOldEvents,
  listPartnersWithOldTests,
} from '../../../src/store/events/delete-old-events.ts';
import {
  findEvent,
  findEventsBySequence,
  findLastSequence,
  insertEvent,
  listEventCounters,
  listEvents,
  updateEventBodies,
} from '../../../src/store/events/event.ts';
import {
  findUnsequencedEvents,
  listPartnersWithUnsequencedEvents,
  UNSEQUENCED_ON_NODES,
  WHOLE_OUTBOX,
} from '../../../src/store/events/event-outbox.ts';
import { findSequenceBefore } from '../../../src/store/events/find-sequence-before.ts';
import { insertTakenEvents, takeUnsequencedEvents } from '../../../src/store/events/taken-events.ts';
import { claimInstallation, findInstallationId } from '../../../src/store/installation.ts';
import { claimJob, endJobRun, listDueJobs, listJobStates, renewJobLease } from '../../../src/store/jobs/job.ts';
import { deleteOldJobRuns, findJobRun, findLastScheduledResult } from '../../../src/store/jobs/job-run.ts';
import { NodeReader } from '../../../src/store/node-reader.ts';
import { addStoredBytes, addStoredBytesTogether } from '../../../src/store/quotas/daily-usage.ts';
import { findPartnerQuota } from '../../../src/store/quotas/partner-quota.ts';
import {
  endLostReconciliations,
  endLostReconciliationsOf,
  listLeftReconciliations,
} from '../../../src/store/reconciliations/reconciliation.ts';
import {
  findRuleVersions,
  listRuleVersions,
  listRuleVersionsOf,
  readRuleRevision,
} from '../../../src/store/rules/rule-version.ts';
import { deleteOldRehearsals, listPartnersWithOldRehearsals } from '../../../src/store/sandbox/old-rehearsal.ts';
import { listSimulatedEndsDue } from '../../../src/store/sandbox/simulated-end.ts';
import { findOpenSettlement } from '../../../src/store/settlements/settlement.ts';
import { type Attempt, recordAttempts, recordSuccesses } from '../../../src/store/webhooks/attempt.ts';
import { listDeliveryAttempts } from '../../../src/store/webhooks/attempt-log.ts';
import { claimDeliveries, deleteDeliveries, makeDeliveriesDue, releaseDeliveries } from '../../../src/store/webhooks/delivery.ts';
import { measureBacklog } from '../../../src/store/webhooks/delivery-backlog.ts';
import { deliveryIdOf } from '../../../src/store/webhooks/delivery-id.ts';
import {
  advanceDueFrom,
  DUE_ENDPOINTS_ON_NODES,
  listDueEndpoints,
  listRecipientEndpoints,
} from '../../../src/store/webhooks/due-endpoint.ts';
import { clearEndpointHealth, lockEndpointHealth, updateEndpointDueFrom } from '../../../src/store/webhooks/endpoint-health.ts';
import { listEndpointStates } from '../../../src/store/webhooks/endpoint-state.ts';
import { watchEndpoints, watchEndpointsOf, watchWaitingEndpoints } from '../../../src/store/webhooks/endpoint-watch.ts';
import { endHandOver, listEndedHandOvers } from '../../../src/store/webhooks/hand-over.ts';
import { insertReplayedDeliveries } from '../../../src/store/webhooks/resent-delivery.ts';
import { findWebhookEndpoint, listWebhookEndpoints } from '../../../src/store/webhooks/webhook-endpoint.ts';

/** What the calls are about; `token` numbers the rows that are there, or will be. */
export interface HotCallOptions {
  readonly partnerId: string;
  readonly keyId: string;
  readonly endpointId: string;
  readonly token: string;
  /** Contributions and their events, in the end. */
  readonly rows: number;
  /** Estimates, deliveries, and whatever else there is fewer of. */
  readonly fewer: number;
  readonly isDistributed: boolean;
}

export interface HotCall {
  readonly title: string;
  /** Never sent to a cluster, where a batch has one partner and is written as a list. */
  readonly isOfSeveral?: boolean;
  /** It reads all rows of a table, for this is its purpose. */
  readonly isOfAll?: boolean;
  /** How many it sends; 1 unless it is given. */
  readonly statements?: number;
  /** What has to be there before, in the same transaction. */
  readonly prepare?: (db: Queryable) => Promise<unknown>;
  readonly send: (db: Queryable) => Promise<unknown>;
}

const BATCH = 32;

/** Each as it is sent for one batch. The numbers lie wide apart, so that none is found on another's page. */
export function hotCalls(terms: HotCallOptions): HotCall[] {
  const calls = [confirmationCalls, lookUpCalls, eventCalls, deliveryCalls, idleCalls].flatMap((list) => list(terms));
  return calls.filter(({ isOfSeveral = false }) => !(isOfSeveral && terms.isDistributed));
}

function numbersOf(rows: number): number[] {
  return Array.from({ length: BATCH }, (_, index) => 5 * (1 + index * Math.floor(rows / 5 / BATCH)));
}

function confirmationCalls(terms: HotCallOptions): HotCall[] {
  const { partnerId } = terms;
  const fresh = newToken();
  const calculation = newId('calc');
  const estimate = { ...draftEstimate(partnerId, fresh, 1) };
  const estimates = numbersOf(terms.rows).map((number) => draftEstimate(partnerId, newToken(), number));
  const linked = { ...estimate, estimate: { ...estimate.estimate, calculationId: calculation } };
  const link = { ...linkOf(newId('txn'), fresh, 1), calculationId: calculation };
  const draft = draftContribution(partnerId, fresh, 1);
  const unlinked = { ...draft, contribution: { ...draft.contribution, transactionId: link.transactionId } };
  const prepareLink = async (db: Queryable) => {
    await insertEstimates(db, [linked]);
    await insertContributions(db, [unlinked]);
  };
  const keyed = { partnerId, idempotencyKey: idempotencyKey(fresh, 9), fingerprint: Buffer.alloc(32), link };
  const drafts = (token: string) => numbersOf(terms.rows).map((number) => draftContribution(partnerId, token, number));
  return [
    { title: 'confirm', send: (db) => insertContributions(db, drafts(newToken())) },
    { title: 'confirm what is all new', isOfSeveral: true, send: (db) => insertContributions(db, drafts(newToken()), 'fail') },
    {
      title: 'confirm with an estimate',
      prepare: (db) => insertEstimates(db, [linked]),
      send: (db) => insertContributions(db, [withLink(draft as ContributionDraft, link)]),
    },
    {
      title: 'confirm what is all new, with an estimate',
      isOfSeveral: true,
      prepare: (db) => insertEstimates(db, [linked]),
      send: (db) => insertContributions(db, [withLink(draft as ContributionDraft, link)], 'fail'),
    },
    { title: 'confirm what is there', send: (db) => insertContributions(db, drafts(terms.token)) },
    { title: 'estimate', send: (db) => insertEstimates(db, estimates) },
    { title: 'estimate what is all new', isOfSeveral: true, send: (db) => insertEstimates(db, estimates, 'fail') },
    { title: 'associate', prepare: prepareLink, send: (db) => insertEmissionsLink(db, keyed) },
    { title: 'count of the day', send: (db) => lockDailyCount(db, partnerId, 'Asia/Riyadh') },
    {
      title: 'add to the count of the day',
      send: (db) => addToDailyCount(db, partnerId, { day: '2026-01-01', points: 1n, contributions: 1n }),
    },
    { title: 'event of a change', send: (db) => insertEvent(db, eventDraft(partnerId)) },
  ];
}

function eventDraft(partnerId: string) {
  const eventType = 'impact.transaction.adjusted';
  return { partnerId, eventId: newId('evt'), eventType, subjectId: newId('txn'), correlationId: null, data: '{}' };
}

function lookUpCalls(terms: HotCallOptions): HotCall[] {
  const { partnerId, token } = terms;
  const numbers = numbersOf(terms.rows);
  const fewer = numbersOf(terms.fewer);
  const of = <Name extends string>(name: Name, idOf: (token: string, number: number) => string, from = token) =>
    (idOf === calculationId ? fewer : numbers).map(
      (number) => ({ partnerId, [name]: idOf(from, number) }) as { partnerId: string } & Record<Name, string>,
    );
  const mixed = <Item extends { partnerId: string }>(items: Item[]) => [
    ...items,
    { ...items[0], partnerId: 'ptn_of_others' } as Item,
  ];
  const claims = (from: string) =>
    numbers.map((number) => ({
      partnerId,
      idempotencyKey: idempotencyKey(from, number),
      partnerEventId: eventId(from, number + 1),
      partnerOrderRef: orderRef(from, number + 2),
    }));
  const keys = fewer.map((number) => ({ partnerId, idempotencyKey: idempotencyKey(token, number) }));
  const absent = newToken();
  const middle = Math.floor(terms.rows / 2);
  const id = transactionId(token, middle);
  return [
    { title: 'look up by event', send: (db) => lookUpContributionsByEvent(db, of('partnerEventId', eventId)) },
    {
      title: 'look up by event, nothing there',
      send: (db) => lookUpContributionsByEvent(db, of('partnerEventId', eventId, absent)),
    },
    {
      title: 'look up by event, several partners',
      isOfSeveral: true,
      send: (db) => lookUpContributionsByEvent(db, mixed(of('partnerEventId', eventId))),
    },
    { title: 'look up by id', send: (db) => lookUpContributionsById(db, of('transactionId', transactionId)) },
    {
      title: 'look up by id, several partners',
      isOfSeveral: true,
      send: (db) => lookUpContributionsById(db, mixed(of('transactionId', transactionId))),
    },
    { title: 'contributions by id', send: (db) => findContributionsById(db, of('transactionId', transactionId)) },
    {
      title: 'contributions by id, several partners',
      isOfSeveral: true,
      send: (db) => findContributionsById(db, mixed(of('transactionId', transactionId))),
    },
    {
      title: 'contributions of a list of operators',
      send: (db) => findListedContributions(asPool(db, terms), mixed(of('transactionId', transactionId))),
    },
    { title: 'conflicts', send: (db) => findContributionConflicts(db, claims(token)) },
    { title: 'conflicts, none there', send: (db) => findContributionConflicts(db, claims(absent)) },
    {
      title: 'conflicts, several partners',
      isOfSeveral: true,
      send: (db) => findContributionConflicts(db, mixed(claims(token))),
    },
    { title: 'lock a contribution', send: (db) => lockContribution(db, partnerId, id) },
    { title: 'estimates by id', send: (db) => findEstimatesById(db, of('calculationId', calculationId)) },
    {
      title: 'estimates by id, several partners',
      isOfSeveral: true,
      send: (db) => findEstimatesById(db, mixed(of('calculationId', calculationId))),
    },
    { title: 'estimates by key', send: (db) => findEstimatesByKey(db, keys) },
    {
      title: 'estimates by key, several partners',
      isOfSeveral: true,
      send: (db) => findEstimatesByKey(db, mixed(keys)),
    },
    { title: 'link by key', send: (db) => findEmissionsLinkByKey(db, partnerId, idempotencyKey(token, 5)) },
    { title: 'review', send: (db) => findContributionReview(db, { partnerId, transactionId: id }) },
  ];
}

function eventCalls(terms: HotCallOptions): HotCall[] {
  const { partnerId, rows } = terms;
  const sequences = numbersOf(terms.rows).map(BigInt);
  const made = sequences.map((sequence) => ({ sequence, packedBody: Buffer.of(0) }));
  const taken = sequences.map((sequence) => {
    const { eventId, ...draft } = eventDraft(partnerId);
    return { ...draft, eventId, sequence: sequence + BigInt(2 * rows), occurredAt: new Date() };
  });
  const deliveries = taken.map((event) => {
    const { endpointId } = terms;
    return { event, endpointId, deliveryId: deliveryIdOf(event.eventId, endpointId), isClaimed: true };
  });
  return [
    {
      title: 'assign sequences',
      send: (db) => {
        const batch = { limit: BATCH, attemptsMax: 10 };
        return terms.isDistributed
          ? assignSequencesOnNode(db, partnerId, batch)
          : assignSequences(db, partnerId, { ...batch, range: WHOLE_OUTBOX });
      },
    },
    {
      title: 'assign sequences of several',
      isOfSeveral: true,
      send: (db) => assignSequencesOfSeveral(db, WHOLE_OUTBOX, [partnerId, 'ptn_of_others'], { limit: BATCH, attemptsMax: 10 }),
    },
    {
      title: 'take unsequenced events',
      isOfSeveral: true,
      send: (db) => takeUnsequencedEvents(db, WHOLE_OUTBOX, [partnerId, 'ptn_of_others'], BATCH),
    },
    {
      title: 'insert taken events',
      isOfSeveral: true,
      send: (db) =>
        insertTakenEvents(db, taken, {
          deliveries,
          counters: [{ partnerId, place: '(0,1)' }],
          bodyOf: ({ sequence }) =>
            sequence % 2n === 0n ? { bodyValues: '[1]', packedBody: null } : { bodyValues: null, packedBody: Buffer.of(0) },
          attemptsMax: 10,
          leaseMs: 60_000,
          handOverId: 'h',
          ended: [],
        }),
    },
    { title: 'unsequenced events', isOfSeveral: true, send: (db) => findUnsequencedEvents(db, WHOLE_OUTBOX, BATCH) },
    {
      title: 'partners with unsequenced events',
      send: (db) =>
        terms.isDistributed ? nodesOf(db, terms).read(UNSEQUENCED_ON_NODES) : listPartnersWithUnsequencedEvents(db, WHOLE_OUTBOX),
    },
    {
      title: 'list events',
      send: (db) => listEvents(db, partnerId, { afterSequence: BigInt(Math.floor(rows / 2)), limit: BATCH }),
    },
    { title: 'quota of a partner', send: (db) => findPartnerQuota(db, partnerId) },
    { title: 'count stored bytes', send: (db) => addStoredBytes(db, partnerId, 1_000) },
    {
      title: 'count stored bytes together',
      isOfSeveral: true,
      send: (db) => addStoredBytesTogether(db, [{ partnerId, bytes: 1_000 }]),
    },
    { title: 'find an event', send: (db) => findEvent(db, partnerId, `evt_${transactionId(terms.token, 500).slice(4)}`) },
    { title: 'events by sequence', send: (db) => findEventsBySequence(db, partnerId, sequences) },
    { title: 'bodies of events', send: (db) => updateEventBodies(db, partnerId, made) },
    { title: 'sequence before a time', send: (db) => findSequenceBefore(db, partnerId, new Date()) },
    { title: 'last sequence', send: (db) => findLastSequence(db, partnerId) },
    { title: 'event counters', isOfAll: true, send: (db) => listEventCounters(nodesOf(db, terms)) },
    { title: 'partners with old events', send: (db) => listPartnersWithOldEvents(nodesOf(db, terms), 90) },
    { title: 'partners with old rehearsals', send: (db) => listPartnersWithOldRehearsals(nodesOf(db, terms), 90) },
    { title: 'partners with old tests', send: (db) => listPartnersWithOldTests(nodesOf(db, terms), 90) },
    {
      title: 'old events',
      send: (db) => (terms.isDistributed ? deleteOldEventsOnNode : deleteOldEvents)(db, partnerId, { days: 90, limit: BATCH }),
    },
    { title: 'old rehearsals', send: (db) => deleteOldRehearsals(db, partnerId, { days: 90, limit: BATCH }) },
    { title: 'old tests', send: (db) => deleteOldTests(db, partnerId, { days: 90, limit: BATCH }) },
  ];
}

function nodesOf(db: Queryable, terms: HotCallOptions): NodeReader {
  return new NodeReader(asPool(db, terms), (error) => {
    throw error;
  });
}

function asPool(db: Queryable, { isDistributed }: HotCallOptions): Pick<Database, 'pool' | 'isDistributed'> {
  return { pool: db as Database['pool'], isDistributed };
}

/** The id of the delivery of an event that was filled in, by its number. */
export const deliveryId = (token: string, number: number) => `dlv_${token}${String(number).padStart(15, '0')}`;

function firstOf(attempts: readonly Attempt[]): Attempt[] {
  return attempts.map((attempt) => ({ ...attempt, claimed: { ...attempt.claimed, lease: 1n } }));
}

function deliveryCalls(terms: HotCallOptions): HotCall[] {
  const { partnerId, endpointId, token } = terms;
  const endpoint = { partnerId, endpointId };
  const leaseMs = 60_000;
  const dueFrom = new Date(0);
  const attempts = numbersOf(terms.fewer).map((number) => ({
    claimed: {
      ...endpoint,
      deliveryId: deliveryId(token, number),
      eventId: newId('evt'),
      eventType: 'impact.transaction.confirmed',
      sequence: BigInt(number),
      body: null,
      trigger: 'event' as const,
      attempts: 0,
      attemptsLeft: 10,
      lease: 0n,
      leaseEndsAt: new Date(),
    },
    startedAt: new Date(),
    milliseconds: 5,
    status: 200,
    errorClass: null,
    excerpt: null,
    isSuccess: true,
    endedAt: new Date(),
    nextAttemptAt: undefined,
  }));
  return [
    { title: 'recipients', isOfSeveral: true, send: (db) => listRecipientEndpoints(db, [partnerId, 'ptn_of_others']) },
    { title: 'watch endpoints', isOfSeveral: true, send: (db) => watchEndpoints(db, terms, [endpoint]) },
    { title: 'watch endpoints of a partner', isOfSeveral: true, send: (db) => watchEndpointsOf(db, terms, partnerId) },
    {
      title: 'watch endpoints with deliveries',
      send: (db) => watchWaitingEndpoints(db, terms, { timeoutMs: 60_000 }),
    },
    { title: 'advance from when on deliveries are due', isOfSeveral: true, send: (db) => advanceDueFrom(db, 10_000) },
    {
      title: 'due endpoints',
      send: (db) => (terms.isDistributed ? nodesOf(db, terms).read(DUE_ENDPOINTS_ON_NODES) : listDueEndpoints(db)),
    },
    { title: 'claim deliveries', send: (db) => claimDeliveries(db, { ...endpoint, dueFrom }, { limit: BATCH, leaseMs }) },
    {
      title: 'release deliveries',
      send: (db) =>
        releaseDeliveries(
          db,
          partnerId,
          attempts.map(({ claimed }) => claimed),
          undefined,
        ),
    },
    { title: 'record attempts', send: (db) => recordAttempts(db, partnerId, attempts) },
    {
      title: 'record attempts, several partners',
      isOfSeveral: true,
      send: (db) => recordAttempts(db, undefined, attempts),
    },
    { title: 'record successes', isOfSeveral: true, send: (db) => recordSuccesses(db, attempts) },
    { title: 'record first successes', isOfSeveral: true, send: (db) => recordSuccesses(db, firstOf(attempts)) },
    { title: 'attempts', send: (db) => listDeliveryAttempts(db, partnerId, deliveryId(token, 1)) },
    { title: 'ended hand-overs', send: (db) => listEndedHandOvers(db, { leaseEndsAt: dueFrom, handOverId: '' }, BATCH) },
    {
      title: 'end a hand-over',
      send: async (db) => {
        const sequences = { firstSequences: [1n], lastSequences: [BigInt(BATCH)] };
        const ended = { handOverId: 'h', leaseEndsAt: dueFrom, partnerIds: [partnerId], ...sequences };
        assert.equal((await endHandOver(db, ended)).failures.size, 0);
      },
    },
    {
      title: 'make deliveries due',
      send: (db) => makeDeliveriesDue(db, endpoint, { longerThanMs: leaseMs, dueInMs: 0, limit: BATCH }),
    },
    {
      title: 'replay events',
      send: (db) => insertReplayedDeliveries(db, { ...endpoint, since: dueFrom, attemptsMax: 10, limit: BATCH }, 0n),
    },
    {
      title: 'delete deliveries',
      send: (db) =>
        deleteDeliveries(
          db,
          partnerId,
          attempts.map(({ claimed }) => claimed.deliveryId),
        ),
    },
    { title: 'clear the health of an endpoint', send: (db) => clearEndpointHealth(db, endpoint) },
    { title: 'lock the health of an endpoint', send: (db) => lockEndpointHealth(db, endpoint) },
    {
      title: 'note from when on deliveries are due',
      send: (db) => updateEndpointDueFrom(db, { ...endpoint, dueFrom }, new Date()),
    },
    { title: 'find an endpoint', send: (db) => findWebhookEndpoint(db, partnerId, endpointId) },
    { title: 'list endpoints', send: (db) => listWebhookEndpoints(db, partnerId) },
    { title: 'backlog', statements: 5, send: (db) => measureBacklog(db, terms) },
    { title: 'states of endpoints', send: (db) => listEndpointStates(db) },
  ];
}

/** What is sent to nobody's call. */
function idleCalls(terms: HotCallOptions): HotCall[] {
  const { partnerId, keyId } = terms;
  const jobName = 'close_settlements';
  const rule = { kind: 'point_conversion', version: 'v_00000000000000000001' } as const;
  const end = { jobName, runNo: 1n, outcome: 'succeeded', result: null, error: null, nextDueAt: null } as const;
  return [
    { title: 'credentials', send: (db) => findHeldApiKeys(db, [keyId, ...Array.from({ length: BATCH }, newToken)]) },
    { title: 'last use of keys', send: (db) => updateApiKeysLastUsed(db, [keyId]) },
    { title: 'partner', send: (db) => findPartner(db, partnerId) },
    { title: 'partners', send: (db) => listPartners(db, { afterId: '', limit: 500 }) },
    { title: 'some partners', send: (db) => findPartners(db, [partnerId]) },
    { title: 'revision of the rules', send: (db) => readRuleRevision(db) },
    { title: 'versions of the rules', send: (db) => listRuleVersions(db) },
    { title: 'versions of the rules of a partner', send: (db) => listRuleVersionsOf(db, partnerId, ['point_conversion']) },
    { title: 'versions of the rules by name', send: (db) => findRuleVersions(db, [rule]) },
    { title: 'audited versions of the rules of a partner', send: (db) => listAuditedRules(db, partnerId) },
    { title: 'entries of some records', send: (db) => listAuditEntriesOfRecords(db, [`${rule.kind}/${rule.version}`]) },
    { title: 'entries about a partner', send: (db) => listAuditEntriesOfRecord(db, 'partner', partnerId) },
    { title: 'a key of a partner', send: (db) => hadApiKeyWithin(db, partnerId, 30) },
    { title: 'clock', send: (db) => readClock(db) },
    { title: 'due jobs', send: (db) => listDueJobs(db) },
    { title: 'states of jobs', send: (db) => listJobStates(db) },
    { title: 'claim a job', send: (db) => claimJob(db, { jobName, leaseMs: 1_000, trigger: 'schedule' }) },
    { title: 'renew the lease of a job', send: (db) => renewJobLease(db, jobName, 1n, 1_000) },
    { title: 'end of a run', send: (db) => endJobRun(db, end) },
    { title: 'a run that a command waits for', send: (db) => findJobRun(db, jobName, 1n) },
    { title: 'last result of the schedule', send: (db) => findLastScheduledResult(db, jobName, 'last_entry') },
    { title: 'old runs', send: (db) => deleteOldJobRuns(db, { days: 30, limit: BATCH }) },
    { title: 'end of the audit', send: (db) => findAuditHead(db) },
    { title: 'lock the end of the audit', send: (db) => lockAuditHead(db) },
    { title: 'environment', send: (db) => claimInstallation(db, 'sandbox') },
    { title: 'installation', send: (db) => findInstallationId(db) },
    { title: 'lost reconciliations', send: (db) => endLostReconciliations(nodesOf(db, terms)) },
    { title: 'lost reconciliations of a partner', send: (db) => endLostReconciliationsOf(db, partnerId) },
    { title: 'left reconciliations', send: (db) => listLeftReconciliations(nodesOf(db, terms)) },
    { title: 'open settlement', send: (db) => findOpenSettlement(db, partnerId) },
    { title: 'simulated ends that are due', send: (db) => listSimulatedEndsDue(nodesOf(db, terms), BATCH) },
    { title: 'partners with overdue reviews', send: (db) => listPartnersWithOverdueReviews(nodesOf(db, terms), 72) },
    { title: 'overdue reviews', send: (db) => listOverdueContributionReviews(db, partnerId, { hours: 72, limit: BATCH }) },
  ];
}
