import { Gauge, type Registry } from 'prom-client';

/** The figures of the connections to the database. */
export interface PoolUse {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

export function measurePool(registry: Registry, pool: PoolUse): void {
  new Gauge({
    name: 'partner_impact_database_connections',
    help: 'Connections to the database for requests of partners, and statements that wait for one. Confirmations wait before that, in queues.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}

/** Shows what is wrong with the database. */
export function measureDatabase(registry: Registry, reasons: () => readonly string[]): void {
  new Gauge({
    name: 'partner_impact_database_problem',
    help: 'Always 1; why the database does not do all of its work. Absent while it does.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const reason of reasons()) this.set({ reason }, 1);
    },
  });
}
