import { Gauge, type Registry } from 'prom-client';

/** Shows when the process that was started began: alone, or as the first of several, of which no sum has such a time. */
export function measureStart(registry: Registry): void {
  new Gauge({
    name: 'partner_impact_start_time_seconds',
    help: 'When the service was started, seconds since 1970; with several processes the first one. One that is replaced does not change it.',
    registers: [registry],
  }).set(Date.now() / 1_000 - process.uptime());
}
