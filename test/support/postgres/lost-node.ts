/** A node of a Citus cluster is lost for one database: its coordinator looks for it elsewhere. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after } from 'node:test';
import type { ClusterDatabase } from './cluster-database.ts';

/** `undefined` where the tests run on one PostgreSQL. */
export const clusterUrl = process.env['TEST_ENGINE'] === 'citus' ? process.env['TEST_DATABASE_URL'] : undefined;

/** A port that refuses connections. */
export const CLOSED_PORT = 1;

/** A server that takes connections and says nothing, as a network that loses every packet. */
export async function silentPort(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

const NODE_OF_PARTNER = `select nodeport as port from pg_dist_node join pg_dist_placement placement using (groupid)
  where placement.shardid = get_shard_id_for_distribution_column('event_counter', $1::text)`;

/** The port of the node with the rows of a partner. */
export async function portOf({ pool }: Pick<ClusterDatabase, 'pool'>, partner: { readonly partnerId: string }): Promise<number> {
  return (await pool.query<{ port: number }>(NODE_OF_PARTNER, [partner.partnerId])).rows[0]?.port as number;
}

interface OfPartner {
  readonly partner: { readonly partnerId: string };
}

/**
 * Makes partners until there are enough.
 *
 * @param crowdSize How many of one node are wanted at least.
 * @returns The port of that node, those of it, the first of them first, and one of another node.
 */
export async function partnersApart<Made extends OfPartner>(
  cluster: Pick<ClusterDatabase, 'pool'>,
  make: () => Promise<Made>,
  crowdSize = 1,
): Promise<{ readonly port: number; readonly crowd: readonly [Made, ...Made[]]; readonly other: Made }> {
  const first = await make();
  const port = await portOf(cluster, first.partner);
  const crowd: [Made, ...Made[]] = [first];
  let other: Made | undefined;
  while (crowd.length < crowdSize || other === undefined) {
    const made = await make();
    if ((await portOf(cluster, made.partner)) === port) crowd.push(made);
    else other ??= made;
  }
  return { port, crowd, other };
}

/** From now on the coordinator looks for a node elsewhere. */
export async function moveNode({ pool }: Pick<ClusterDatabase, 'pool'>, port: number, to: number): Promise<void> {
  await pool.query('update pg_dist_node set nodeport = $2 where nodeport = $1', [port, to]);
}
