import { Gauge, type Registry } from 'prom-client';
import { countFrom } from './registry.ts';
import { shared } from './shared-answer.ts';

/** How many deliveries, and for how long events and deliveries wait. */
interface BacklogFigures {
  readonly waiting: number;
  readonly oldestWaitingSeconds: number;
  readonly exhausted: number;
  readonly exhaustedEndpoints: readonly { readonly partnerId: string; readonly endpointId: string }[];
  readonly relayLagSeconds: number;
}

/** The database's figures of events under way. Every process reports the same. */
export interface DeliveryWatch {
  /** Without the figures that could not be measured. */
  measureBacklog(): Promise<Partial<BacklogFigures>>;
  listEndpointStates(): Promise<readonly { partnerId: string; endpointId: string; state: string }[]>;
}

/** A figure that could not be measured is absent: an old one, or 0, would look like a measured one. */
export function watchDeliveries(registry: Registry, { measureBacklog, listEndpointStates }: DeliveryWatch): void {
  const backlog = shared(measureBacklog);
  const measure = () => backlog().catch((): Partial<BacklogFigures> => ({}));
  const gauge = (figure: Exclude<keyof BacklogFigures, 'exhaustedEndpoints'>, name: string, help: string) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator: 'max',
      async collect() {
        const { [figure]: value } = await measure();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  gauge(
    'waiting',
    'partner_impact_deliveries_waiting',
    'Deliveries that wait for active endpoints; 10000 means 10000 or more. Absent while it cannot be measured.',
  );
  gauge(
    'oldestWaitingSeconds',
    'partner_impact_delivery_oldest_waiting_seconds',
    'Age of the oldest delivery that waits for an active endpoint, among the ten that are due first and the ten that are due last at each; 0 when none does, absent while it cannot be measured.',
  );
  gauge(
    'exhausted',
    'partner_impact_deliveries_exhausted',
    'Exhausted deliveries that no operator has sent again; 10000 means 10000 or more. Absent while it cannot be measured.',
  );
  gauge(
    'relayLagSeconds',
    'partner_impact_event_relay_lag_seconds',
    'Age of the first event that has no sequence yet; 0 when all have theirs, absent while it cannot be measured.',
  );
  new Gauge({
    name: 'partner_impact_endpoint_exhausted',
    help: 'Always 1; the endpoint has exhausted deliveries that no operator has sent again. Absent while they cannot be read.',
    labelNames: ['partner_id', 'endpoint_id'],
    registers: [registry],
    aggregator: 'max',
    async collect() {
      const { exhaustedEndpoints = [] } = await measure();
      this.reset();
      for (const { partnerId, endpointId } of exhaustedEndpoints) this.set({ partner_id: partnerId, endpoint_id: endpointId }, 1);
    },
  });
  measureEndpoints(registry, listEndpointStates);
}

function measureEndpoints(registry: Registry, listEndpointStates: DeliveryWatch['listEndpointStates']): void {
  new Gauge({
    name: 'partner_impact_endpoint_state',
    help: 'Always 1; the state of the endpoint: healthy, failing, half_open, circuit_open or disabled. Absent while the states cannot be read.',
    labelNames: ['partner_id', 'endpoint_id', 'state'],
    registers: [registry],
    aggregator: 'max',
    async collect() {
      const endpoints = await listEndpointStates().catch(() => []);
      this.reset();
      for (const { partnerId, endpointId, state } of endpoints)
        this.set({ partner_id: partnerId, endpoint_id: endpointId, state }, 1);
    },
  });
}

/** How deliveries yield to answers. */
export interface PaceFigures {
  readonly limitPerSecond: number;
  readonly slowedSeconds: number;
}

export function measurePace(registry: Registry, pace: PaceFigures): void {
  new Gauge({
    name: 'partner_impact_delivery_limit_per_second',
    help: 'Deliveries that may begin in a second while answers to partners wait; 0 without a limit.',
    registers: [registry],
    collect() {
      this.set(pace.limitPerSecond);
    },
  });
  countFrom(registry, {
    name: 'partner_impact_delivery_slowed_seconds_total',
    help: 'For how long deliveries waited because answers to partners come first.',
    count: () => pace.slowedSeconds,
  });
}
