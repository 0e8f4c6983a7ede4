import type { Attack } from '../attack.ts';
import { get } from '../requests.ts';

const REPORTS_PER_SECOND = 45;

export const reportsUnread: Attack = {
  name: 'reports-unread',
  sends: 'requests for pages of 500 events, within its rate, whose answers it never reads',
  connections: 450,
  secondsMin: 12,
  settledContributions: 600,
  async run({ attacker, connections, apiKey }) {
    const turn = attacker.pace(REPORTS_PER_SECOND);
    const request = get('/v1/events?limit=500', { apiKey });
    await attacker.each(connections, async (connection) => {
      await turn();
      // The kernel takes the first answers: the service holds those behind them.
      for (let sent = 0; sent < 10; sent++) await connection.send(request, 1);
      while (!attacker.signal.aborted) {
        await attacker.rest(1_000);
        await connection.send('');
      }
    });
  },
};
