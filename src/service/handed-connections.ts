import type { ChildProcess } from 'node:child_process';
import type { Worker } from 'node:cluster';

/** What Node's cluster sends with a connection, and what comes back when the process has it. */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/**
 * Closes the connections that were handed to a process and not taken before it ended. Node's cluster keeps them open in this process,
 * where nobody reads them: their clients would wait for an answer until they give up.
 */
export function closeHandedConnections(worker: Worker): void {
  const handed = new Map<number, { close(): void }>();
  const child: ChildProcess = worker.process;
  const send = child.send?.bind(child) as ((...words: unknown[]) => boolean) | undefined;
  // The system began no process, such as for want of files.
  if (!send) return;
  child.send = (message: ClusterMessage, handle?: unknown, ...rest: unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined) handed.set(message.seq, handle as { close(): void });
    return send(message, handle, ...rest);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => void (ack !== undefined && handed.delete(ack)));
  worker.once('exit', () => {
    for (const handle of handed.values()) handle.close();
  });
}
