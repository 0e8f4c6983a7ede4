import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Secret, TOTP } from 'otpauth';
import type { Role } from '../../src/domain/access/role.ts';
import { createOperator } from '../../src/operations/access/manage-operator.ts';
import { ROUTES } from '../../src/operator-api/routes.ts';
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
  /** Sent as it is, as the `content-type` of the headers says. */
  readonly file?: string;
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

  async send(method: string, path: string, { body, file, headers = {} }: SentRequest = {}): Promise<OperatorAnswer> {
    const payload = body === undefined ? file : JSON.stringify(body);
    const answer = await sendRaw(this.port, method, path, payload, {
      ...(this.cookie && { cookie: this.cookie }),
      ...(method !== 'GET' && { 'x-csrf-token': this.csrfToken }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      // Node says nothing of the body of a DELETE.
      ...(payload !== undefined && method === 'DELETE' && { 'content-length': String(Buffer.byteLength(payload)) }),
      ...headers,
    });
    const [set] = answer.headers['set-cookie'] ?? [];
    if (set) this.cookie = set.split(';', 1)[0] as string;
    if (answer.body?.csrf_token) this.csrfToken = answer.body.csrf_token;
    if (answer.status === 200 && answer.body !== undefined) assertDescribed(method, path, answer.body);
    return answer;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<OperatorAnswer> {
    return this.send('GET', path, { headers });
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<OperatorAnswer> {
    return this.send('POST', path, { body, headers });
  }

  /** A partner's list. */
  postList(path: string, file: string, key = uniqueId('key'), type = 'text/csv'): Promise<OperatorAnswer> {
    return this.send('POST', path, { file, headers: { 'content-type': type, 'idempotency-key': key } });
  }

  /** For what happens once. */
  postOnce(path: string, body: unknown, key = uniqueId('key')): Promise<OperatorAnswer> {
    return this.post(path, body, { 'idempotency-key': key });
  }
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
const validators = new Map<string, ValidateFunction>();

/** Whatever a test asks for: an answer has the members that its shape says, and no others. */
function assertDescribed(method: string, path: string, body: unknown): void {
  const [plain = ''] = path.split('?');
  const route = ROUTES.find(
    (each) => each.method === method && new RegExp(`^${each.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(plain),
  );
  assert.ok(route && route.answer !== 'csv', `${method} ${plain} is no operation with JSON`);
  const validate = validators.get(route.operation) ?? ajv.compile(route.answer);
  validators.set(route.operation, validate);
  assert.ok(validate(body), `${route.operation}: ${ajv.errorsText(validate.errors)}`);
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
        // With a byte order mark where there is one.
        const content = (await buffer(answer)).toString();
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
  name = `The ${role}`,
): Promise<SignedInOperator> {
  const email = `${randomUUID()}@example.org`;
  const { operator, signInCode } = await createOperator(database, OWNER, { name, email, role });
  const client = new OperatorClient(operationsPort);
  const { status, text: said } = await client.post('/operator/v1/session/link', { code: signInCode, password: PASSWORD });
  if (status !== 200) throw new Error(`The sign-in of a test failed: ${said}`);
  return Object.assign(client, { operatorId: operator.operatorId, email });
}

/**
 * The code that an authenticator app shows now, or one step of 30 s later. The service accepts the step
 * before and the step after as well: each of both is accepted for 30 s at least, though a new step begins meanwhile.
 */
export function codeOf(secret: string, which: 'now' | 'next' = 'now'): string {
  const timestamp = Date.now() + (which === 'next' ? 30_000 : 0);
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}
