import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Role } from '../../src/domain/access/role.ts';
import { createOperator } from '../../src/operations/access/manage-operator.ts';
import type { Database } from '../../src/store/database.ts';
import { OWNER } from './actor.ts';
import { uniqueId } from './client.ts';

export interface OperatorAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Of JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape that it asks for
  readonly body: any;
}

export interface SentRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const PASSWORD = 'seven green olives 42';

/** A browser of an operator: it keeps the cookie, and sends the token with every change. */
export class OperatorClient {
  readonly port: number;
  cookie = '';
  csrfToken = '';

  constructor(port: number) {
    this.port = port;
  }

  async send(method: string, path: string, { body, headers = {} }: SentRequest = {}): Promise<OperatorAnswer> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const answer = await sendRaw(this.port, method, path, payload, {
      ...(this.cookie && { cookie: this.cookie }),
      ...(method !== 'GET' && { 'x-csrf-token': this.csrfToken }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    });
    const [set] = answer.headers['set-cookie'] ?? [];
    if (set) this.cookie = set.split(';', 1)[0] as string;
    if (answer.body?.csrf_token) this.csrfToken = answer.body.csrf_token;
    return answer;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<OperatorAnswer> {
    return this.send('GET', path, { headers });
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<OperatorAnswer> {
    return this.send('POST', path, { body, headers });
  }

  /** For what happens once. */
  postOnce(path: string, body: unknown, key = uniqueId('key')): Promise<OperatorAnswer> {
    return this.post(path, body, { 'idempotency-key': key });
  }
}

function sendRaw(
  port: number,
  method: string,
  path: string,
  payload: string | undefined,
  headers: Record<string, string>,
): Promise<OperatorAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: { host: `localhost:${port}`, ...headers } },
      async (answer) => {
        const content = await text(answer);
        const isJson = answer.headers['content-type']?.startsWith('application/json');
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: content,
          body: isJson ? JSON.parse(content) : undefined,
        });
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}

export interface SignedInOperator extends OperatorClient {
  readonly operatorId: string;
  readonly email: string;
}

/** A person with a role, whom the owner of the sandbox has made, and who used the one-time link. */
export async function signedInOperator(
  { database, operationsPort }: { readonly database: Database; readonly operationsPort: number },
  role: Role,
): Promise<SignedInOperator> {
  const email = `${randomUUID()}@example.org`;
  const { operator, signInCode } = await createOperator(database, OWNER, { name: `The ${role}`, email, role });
  const client = new OperatorClient(operationsPort);
  const { status, text: said } = await client.post('/operator/v1/session/link', { code: signInCode, password: PASSWORD });
  if (status !== 200) throw new Error(`The sign-in of a test failed: ${said}`);
  return Object.assign(client, { operatorId: operator.operatorId, email });
}
