import type { Queryable } from './database.ts';
import { run, type Statement } from './statement.ts';

/** What has not reached its receiver yet. */
export interface Backlog {
  /** Deliveries that wait for active endpoints. */
  readonly waiting: number;
  /** Since the oldest of them was made; 0 when there is none. */
  readonly oldestWaitingSeconds: number;
  /** Deliveries of events whose attempts are spent, and which nobody has sent again. */
  readonly exhausted: number;
  /** Since the oldest event happened that has no sequence yet; 0 when all have theirs. */
  readonly relayLagSeconds: number;
}

const WAITING: Statement = {
  name: 'measure_waiting_deliveries',
  text: `select count(*)::int4 as waiting, coalesce(extract(epoch from now() - min(d.created_at)), 0)::float8 as "oldestWaitingSeconds"
    from delivery d join webhook_endpoint e on e.partner_id = d.partner_id and e.endpoint_id = d.endpoint_id and e.status = 'active'
    where d.status = 'waiting'`,
};

const EXHAUSTED: Statement = {
  name: 'count_exhausted_deliveries',
  text: `select count(*)::int4 as exhausted from delivery d
    join webhook_endpoint e on e.partner_id = d.partner_id and e.endpoint_id = d.endpoint_id and e.status <> 'removed'
    where d.status = 'exhausted' and d.sequence is not null`,
};

const RELAY_LAG: Statement = {
  name: 'measure_relay_lag',
  text: `select coalesce(extract(epoch from now() - min(o.occurred_at)), 0)::float8 as "relayLagSeconds" from event_outbox o`,
};

/** Costs as much as is waiting. */
export async function measureBacklog(db: Queryable): Promise<Backlog> {
  const [[waiting], [exhausted], [lag]] = await Promise.all([
    run<Pick<Backlog, 'waiting' | 'oldestWaitingSeconds'>>(db, WAITING, []),
    run<Pick<Backlog, 'exhausted'>>(db, EXHAUSTED, []),
    run<Pick<Backlog, 'relayLagSeconds'>>(db, RELAY_LAG, []),
  ]);
  return { waiting: 0, oldestWaitingSeconds: 0, exhausted: 0, relayLagSeconds: 0, ...waiting, ...exhausted, ...lag };
}

export interface EndpointState {
  readonly partnerId: string;
  readonly endpointId: string;
  /** `open`: left in peace after many failures. `probed`: one delivery at a time tries it out. */
  readonly state: 'sound' | 'failing' | 'probed' | 'open' | 'disabled';
}

const ENDPOINT_STATES: Statement = {
  name: 'list_endpoint_states',
  text: `select e.partner_id as "partnerId", e.endpoint_id as "endpointId",
      case when e.status = 'disabled' then 'disabled' when h.breaker_open_until > now() then 'open' when h.breaker_trips > 0 then 'probed'
        when h.failures_in_row > 0 then 'failing' else 'sound' end as state
    from webhook_endpoint e join endpoint_health h on h.partner_id = e.partner_id and h.endpoint_id = e.endpoint_id
    where e.status <> 'removed'`,
};

export async function listEndpointStates(db: Queryable): Promise<EndpointState[]> {
  return run<EndpointState>(db, ENDPOINT_STATES, []);
}
