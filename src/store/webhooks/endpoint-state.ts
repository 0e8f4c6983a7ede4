import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import { HEALTH_JOIN } from './endpoint-health.ts';
import type { EndpointId } from './webhook-endpoint.ts';

export interface EndpointState extends EndpointId {
  /** `circuit_open`: nothing is sent for a while, after many failures. `half_open`: one delivery at a time tests the endpoint. */
  readonly state: 'healthy' | 'failing' | 'half_open' | 'circuit_open' | 'disabled';
}

const ENDPOINT_STATES: Statement = {
  name: 'list_endpoint_states',
  text: `select e.partner_id as "partnerId", e.endpoint_id as "endpointId",
      case when e.status = 'disabled' then 'disabled' when h.breaker_open_until > now() then 'circuit_open'
        when h.breaker_trips > 0 then 'half_open' when h.failures_in_row > 0 then 'failing' else 'healthy' end as state
    from webhook_endpoint e ${HEALTH_JOIN}
    where e.status <> 'removed'`,
};

export async function listEndpointStates(db: Queryable): Promise<EndpointState[]> {
  return run<EndpointState>(db, ENDPOINT_STATES, []);
}

/** Each by an index that holds no others. */
const COUNT_TROUBLED: Statement = {
  name: 'count_troubled_endpoints',
  text: `select (select count(*) from webhook_endpoint where status = 'disabled')::int4 as disabled,
      (select count(*) from webhook_endpoint e ${HEALTH_JOIN}
        where h.failing_since is not null and e.status = 'active')::int4 as failing`,
};

export interface TroubledEndpoints {
  readonly disabled: number;
  /** Active, and their last attempt failed. */
  readonly failing: number;
}

/** Counts the endpoints of all partners that are disabled or fail. */
export async function countTroubledEndpoints(db: Queryable): Promise<TroubledEndpoints> {
  const [row] = await run<{ disabled: number; failing: number }>(db, COUNT_TROUBLED, []);
  return row ?? { disabled: 0, failing: 0 };
}
