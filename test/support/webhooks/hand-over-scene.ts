import assert from 'node:assert/strict';
import type { Database, Queryable } from '../../../src/store/database.ts';
import { insertEvent, insertEventCounter } from '../../../src/store/events/event.ts';
import { listDueEndpoints } from '../../../src/store/webhooks/due-endpoint.ts';
import { insertWebhookEndpoint } from '../../../src/store/webhooks/webhook-endpoint.ts';
import { claimDue } from '../../../src/webhooks/delivery/claim-due.ts';
import { openHandOverEnding } from '../../../src/webhooks/delivery/end-hand-overs.ts';
import { type RelaySession, relayOnce } from '../../../src/webhooks/relay/relay.ts';
import type { TogetherTools } from '../../../src/webhooks/relay/relay-together.ts';
import { testDatabase } from '../postgres/database.ts';
import { insertOldPartner } from '../records.ts';
import { relayDatabase, relayTools } from '../relay.ts';

interface Endpoint {
  readonly partnerId: string;
  readonly endpointId: string;
}

/** A database of the file's own whose events are numbered and handed over when the test says so, and what other processes do meanwhile. */
export async function handOverScene() {
  const { databaseUrl, pool: administrator } = await testDatabase();
  const { database, openSession } = relayDatabase(databaseUrl, 48);
  let made = 0;

  const nextEventId = () => `evt_handover-${++made}`;

  function nextEndpoint(partnerId: string) {
    const endpointId = `wep_handover-${String(++made).padStart(8, '0')}`;
    return { partnerId, endpointId, url: `https://example.com/${made}`, eventTypes: [], secretSealed: 'none' };
  }

  async function newPartner(): Promise<Endpoint> {
    const { partnerId } = await insertOldPartner(database);
    await insertEventCounter(database.pool, partnerId);
    const endpoint = nextEndpoint(partnerId);
    await insertWebhookEndpoint(database.pool, endpoint);
    return endpoint;
  }

  async function tell(partnerId: string): Promise<string> {
    const eventId = nextEventId();
    const about = { eventType: 'settlement.created', subjectId: 'stl_1', correlationId: null, data: '{"settlement_id":"stl_1"}' };
    await insertEvent(database.pool, { partnerId, eventId, ...about });
    return eventId;
  }

  const relay = (session: RelaySession, tools: TogetherTools) => relayOnce(database, session, tools);

  /** A new partner with one event, which was handed over. */
  async function handOne() {
    const endpoint = await newPartner();
    const { tools, handed } = relayTools(10);
    await tell(endpoint.partnerId);
    await relay(await openSession(), tools);
    return { endpoint, handed };
  }

  /** What a dispatcher of another process finds and claims. */
  async function claimElsewhere({ partnerId, endpointId }: Endpoint) {
    const due = (await listDueEndpoints(database.pool)).find(
      (each) => each.partnerId === partnerId && each.endpointId === endpointId,
    );
    return due ? claimDue(database, due, 100) : [];
  }

  return {
    databaseUrl,
    administrator,
    database,
    openSession,
    nextEventId,
    nextEndpoint,
    newPartner,
    tell,
    relay,
    handOne,
    claimElsewhere,
    endHandOvers: (onError: (error: unknown) => void) => endHandOvers(database, onError),
    endLeases: (partnerId: string) => endLeases(database, administrator, partnerId),
  };
}

/** What every dispatcher does from time to time. */
async function endHandOvers(database: Database, onError: (error: unknown) => void): Promise<void> {
  await openHandOverEnding({ database, signal: new AbortController().signal, onError })();
}

/** Time enters as data: the leases are over, for a clock that is set back a little as well. */
async function endLeases(database: Database, administrator: Queryable, partnerId: string): Promise<void> {
  await administrator.query("update delivery_hand_over set lease_ends_at = now() - interval '5 s' where $1 = any (partner_ids)", [
    partnerId,
  ]);
  await endHandOvers(database, assert.ifError);
  await administrator.query(
    "update delivery set next_attempt_at = now() - interval '5 s' where partner_id = $1 and status = 'waiting'",
    [partnerId],
  );
}
