import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { after } from 'node:test';

export interface DatabaseProxy {
  /** What a service connects to instead of the database itself. */
  readonly databaseUrl: string;
  /** Cuts every connection and takes no new one: the database is gone. */
  cut(): void;
  /** Takes connections again. */
  heal(): void;
  /** The connections that there are stay open, and nothing more comes through them: the machine is gone without a word. */
  silence(): void;
  /** From now on each answer comes so much later. */
  delay(ms: number): void;
  /** As soon as a client has sent these words. */
  silenceAfter(words: string): void;
  /**
   * Holds back the answers on the connection on which a client sends these words next, and leaves the others as they are.
   *
   * @param isSent Whether the server gets the words, and what follows them.
   * @returns When they were sent, with what cuts this connection. The client may connect again.
   */
  hold(words: string, isSent: boolean): Promise<() => void>;
  /**
   * Holds back what a client sends on the connection on which it sends these words next, from them on.
   *
   * @returns When they were sent, with what passes it on.
   */
  pauseBefore(words: string): Promise<() => void>;
}

interface Hold {
  readonly words: string;
  readonly isSent: boolean;
  begin(cut: () => void): void;
}

interface Pause {
  readonly words: string;
  begin(goOn: () => void): void;
}

/** Stands between a service and its database, so that a test can take the database away. */
export async function databaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const directory = target.searchParams.get('host');
  const sockets = new Set<Socket>();
  let isCut = false;
  let delayMs = 0;
  let lastWords: string | undefined;
  let next: Hold | undefined;
  let nextPause: Pause | undefined;
  const silence = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = directory ? connect(`${directory}/.s.PGSQL.5432`) : connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    let held: Hold | undefined;
    const requests = new Transform({
      transform(chunk, _encoding, pass) {
        if (next && chunk.includes(next.words)) {
          held = next;
          next = undefined;
          held.begin(() => client.destroy());
        }
        const send = () => pass(null, held?.isSent === false ? undefined : chunk);
        if (!nextPause || !chunk.includes(nextPause.words)) return send();
        nextPause.begin(send);
        nextPause = undefined;
      },
    });
    const answers = new Transform({
      transform(chunk, _encoding, pass) {
        if (held) pass();
        else if (delayMs === 0) pass(null, chunk);
        else setTimeout(pass, delayMs, null, chunk);
      },
    });
    client.pipe(requests).pipe(upstream).pipe(answers).pipe(client);
    // After the pipe, which has passed the words on.
    client.on('data', (chunk) => {
      if (lastWords !== undefined && chunk.includes(lastWords)) silence();
    });
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  after(() => {
    cut();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    databaseUrl: `postgresql://postgres@127.0.0.1:${port}${target.pathname}`,
    cut,
    heal: () => {
      isCut = false;
    },
    silence,
    delay(ms) {
      delayMs = ms;
    },
    silenceAfter(words) {
      lastWords = words;
    },
    hold: (words, isSent) =>
      new Promise((begin) => {
        next = { words, isSent, begin };
      }),
    pauseBefore: (words) =>
      new Promise((begin) => {
        nextPause = { words, begin };
      }),
  };
}
