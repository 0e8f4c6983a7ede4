import type { Attack } from '../attack.ts';
import { get } from '../requests.ts';

export const scrapes: Attack = {
  name: 'scrapes',
  sends: 'requests for the metrics and for readiness at the admin listener, as fast as they are answered',
  connections: 64,
  async run({ attacker, connections, operationsPort: port }) {
    const conduct = (path: string) => async (connection: { ask(request: string): Promise<number> }) => {
      for (;;) await connection.ask(get(path, { headers: { Host: 'somebody.example' } }));
    };
    const half = Math.ceil(connections / 2);
    await Promise.all(['/metrics', '/readyz'].map((path) => attacker.each(half, conduct(path), { port })));
  },
};
