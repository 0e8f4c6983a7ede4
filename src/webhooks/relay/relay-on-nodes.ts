import type { Database } from '../../store/database.ts';
import { assignSequencesOnNode } from '../../store/events/assign-sequences-on-node.ts';
import { UNSEQUENCED_ON_NODES } from '../../store/events/event-outbox.ts';
import { NodeReader } from '../../store/node-reader.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { RELAY_BATCH, type Relay, type Relayed } from './relay-round.ts';

/**
 * Assigns sequences to the events of a distributed database. A node that does not answer, or whose commits wait, holds up its own partners
 * alone.
 */
export function relayOnNodes(database: Database, onError: (error: unknown) => void): Relay {
  const nodes = new NodeReader(database, onError);
  return {
    async once() {
      const relayed: Relayed = { sequenced: 0, deliveries: 0, hasMore: false };
      for (const { partnerId } of await nodes.read<{ partnerId: string }>(UNSEQUENCED_ON_NODES)) {
        if (nodes.isLost(partnerId)) continue;
        try {
          const assigned = await inTransaction(database, USUAL_LOCK_TIMEOUT, (db) =>
            assignSequencesOnNode(db, partnerId, RELAY_BATCH),
          );
          relayed.deliveries += assigned.deliveries;
          relayed.sequenced += assigned.sequenced;
          relayed.hasMore ||= assigned.isFull;
        } catch (error) {
          onError(error);
          await nodes.look(partnerId).catch(onError);
        }
      }
      return relayed;
    },
  };
}
