import { Agent, request } from 'undici';
import type { Subject } from '../subject/subject.ts';

const PASSWORD = 'seven green olives 42';

/** A signed-in operator, who asks for what the console asks for. */
export interface Operator {
  /** @throws Error When the answer is not 200. */
  get(path: string): Promise<{ readonly milliseconds: number; readonly body: Readonly<Record<string, unknown>> }>;
  /** The same as a browser asks, which is elsewhere: the answer is not read here. @throws Error When the answer is not 200. */
  open(path: string): Promise<void>;
}

/** One for all, as cheap as a client is: its processor time is none of a server. */
const agent = new Agent({ pipelining: 1 });

/** By the one-time link, like anybody. */
export async function signIn(subject: Subject, name: string): Promise<Operator> {
  const code = await subject.makeOperator(name, 'viewer');
  const answer = await fetch(`${subject.operationsUrl}/operator/v1/session/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, password: PASSWORD }),
  });
  if (!answer.ok) throw new Error(`The sign-in was answered with ${answer.status}: ${await answer.text()}`);
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';', 1);
  return {
    async get(path) {
      const since = performance.now();
      const read = await fetch(`${subject.operationsUrl}/operator/v1${path}`, { headers: { cookie } });
      const text = await read.text();
      if (!read.ok) throw new Error(`GET ${path} was answered with ${read.status}: ${text.slice(0, 300)}`);
      return { milliseconds: performance.now() - since, body: JSON.parse(text) };
    },
    async open(path) {
      const headers = { cookie, 'accept-encoding': 'gzip, deflate, br' };
      const { statusCode, body } = await request(`${subject.operationsUrl}/operator/v1${path}`, { headers, dispatcher: agent });
      await body.dump();
      if (statusCode !== 200) throw new Error(`GET ${path} was answered with ${statusCode}`);
    },
  };
}
