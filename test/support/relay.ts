import { after } from 'node:test';
import { RecentContributions } from '../../src/operations/events/recent-contributions.ts';
import { type Connection, type Database, openDatabase } from '../../src/store/database.ts';
import type { Handed } from '../../src/webhooks/delivery/hand-over-intake.ts';
import { HandOvers } from '../../src/webhooks/delivery/hand-overs.ts';
import { beginRelaySession, type RelaySession } from '../../src/webhooks/relay/relay.ts';
import type { TogetherTools } from '../../src/webhooks/relay/relay-together.ts';
import { auditKeys } from './actor.ts';

interface RelayDatabase {
  readonly database: Database;
  /** A connection that ends with the file. */
  connect(): Promise<Connection>;
  openSession(): Promise<RelaySession>;
}

/** A database whose relay sessions are opened by the test, each on a connection of its own; all end with the file. */
export function relayDatabase(databaseUrl: string, poolSize: number): RelayDatabase {
  const database = openDatabase({ databaseUrl, poolSize, auditKeys });
  const taken: Connection[] = [];
  after(async () => {
    for (const client of taken) client.release(true);
    await database.close();
  });
  const connect = async () => {
    const client = await database.pool.connect();
    taken.push(client);
    return client;
  };
  return { database, connect, openSession: async () => beginRelaySession(await connect()) };
}

/** A dispatcher that takes `room` deliveries of each endpoint. `meanwhile` runs while the transaction is open. */
export function relayTools(room: number, meanwhile = async () => {}) {
  const handed: Handed[] = [];
  const errors: unknown[] = [];
  const tools: TogetherTools = {
    environment: 'sandbox',
    recent: new RecentContributions(),
    onError: (error) => errors.push(error),
    intake: {
      handOvers: new HandOvers(),
      async keepVerified(endpoints) {
        await meanwhile();
        return [...endpoints];
      },
      roomForNew: () => room,
      take: (_, tasks) => handed.push(...tasks),
    },
  };
  return { tools, handed, errors };
}
