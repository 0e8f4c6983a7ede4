import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: the event as it came, to be compared field by field
  readonly event: any;
}

/** What `X-Service-Signature` must be under a secret: as the interface has it, and nothing of ours. */
export function expectedSignature(secret: string, { headers, body }: Arrived): string {
  return `v1=${createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(body).digest('hex')}`;
}

/** A partner's receiver: answers the challenge, and everything else as it is told. Closed when the file's tests are over. */
export class WebhookReceiver {
  /** Everything but challenges. */
  readonly arrived: Arrived[] = [];
  readonly challenges: Arrived[] = [];
  readonly url: string;
  answer: (response: ServerResponse, arrived: Arrived) => void = (response) => void response.end('noted');

  answerChallenge = (response: ServerResponse, challenge: string): void => void response.end(JSON.stringify({ challenge }));

  private constructor(server: Server) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  }

  static async open(): Promise<WebhookReceiver> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const event = JSON.parse(body.toString());
      const arrived = { headers: request.headers, body, event };
      if (event.event_type === 'webhook.endpoint.verification') {
        receiver.challenges.push(arrived);
        return receiver.answerChallenge(response, event.data.challenge);
      }
      receiver.arrived.push(arrived);
      receiver.answer(response, arrived);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => {
      server.close();
      server.closeAllConnections();
    });
    const receiver = new WebhookReceiver(server);
    return receiver;
  }

  answerWith(status: number, headers: Record<string, string> = {}): void {
    this.answer = (response) => void response.writeHead(status, headers).end('noted');
  }

  /** Refuses an attempt, and asks for the next one in an hour: none is made beside what a test looks at, as after 4 seconds otherwise. */
  putOff(): void {
    this.answerWith(503, { 'retry-after': '3600' });
  }

  /** Takes what arrives, and answers nothing. */
  hang(): void {
    this.answer = () => {};
  }

  /** Waits until so many have arrived; the test's own time-out ends it. */
  async until(count: number): Promise<Arrived[]> {
    while (this.arrived.length < count) await sleep(20, undefined, { ref: false });
    return this.arrived;
  }
}
