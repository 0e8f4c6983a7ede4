import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Actor, Role } from '../domain/access/role.ts';
import type { OperatorSession } from '../operations/access/operator-session.ts';
import type { Work } from '../operations/answer-once.ts';
import type { OperatorApiTools } from './app.ts';
import type { HashedUpload } from './http/hash-upload.ts';

/** What a route works with: who acts, in which session, and what was sent. */
export interface OperatorCall<Params, Query, Body> {
  readonly tools: OperatorApiTools;
  readonly actor: Actor;
  readonly session: OperatorSession;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What a route with an idempotency key gets besides: a process that takes the work over repeats nothing. */
export interface FinalCall {
  readonly work: Work;
}

/** What a route that takes a file gets besides. */
export interface FileCall {
  readonly file: HashedUpload;
}

/** A call of a route that comes before a sign-in. */
export type OpenCall<Body> = Omit<OperatorCall<unknown, unknown, Body>, 'actor' | 'session'>;

/** What is known of a file before its first page is read. */
export type FileOfList = Pick<OperatorCall<Readonly<Record<string, string>>, unknown, unknown>, 'tools' | 'params'>;

/** One operation of the interface, as the application registers it and the document shows it. */
export interface OperatorRoute {
  /** The operation id. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path in Fastify's form, with `:name` for a parameter. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** The least role that may; `nobody` for what comes before a sign-in. */
  readonly leastRole: Role | 'nobody';
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** `csv` for a list that is streamed as a file. */
  readonly answer: TSchema | 'csv';
  /** The body is a partner's list, which is read as it arrives. It requires an `Idempotency-Key`, which stands on the record that it makes. */
  readonly takesList?: boolean;
  /** It happens once: it requires an `Idempotency-Key`, and the same key and payload give the first answer again. */
  readonly isFinal?: boolean;
  /** The password or a passkey must have been given in the last 10 minutes. docs/operating.md lists the operations with it. */
  readonly needsRecentSignIn?: boolean;
  /** The body is the bytes of a file. They are hashed as they arrive, and not kept. */
  readonly takesFile?: boolean;
  /** The answer tells a secret: it is kept sealed, for a day. After it this sentence says the next step of whoever has not kept the secret. */
  readonly ifSecretIsLost?: string;
  /** For what waits for somebody's server. */
  readonly deadlineMs?: number;
  /** Of a list: before its pages are read for a file, it makes them whole. It throws where they are not: a file does not say that something lacks. */
  readonly beforeFile?: (call: FileOfList) => Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: the types of what was sent follow from the shapes, and are the route's own affair
  readonly handle: (call: any) => Promise<unknown>;
}

export const TAGS = {
  'Sign-in': 'Sign in, sign out, and the second factor.',
  Overview: 'What waits, and the month of each partner.',
  Search: 'Find a record by what a partner sends of it.',
  Partners: 'Partners, their terms and their API keys.',
  Contributions: 'Contributions, with all that happened to them.',
  Reviews: 'Pending contributions that an operator confirms or fails.',
  Failures: 'Events that two operators record as failed.',
  Rules: 'Versions of the rules, and what is in force.',
  Estimates: 'Emissions estimates with their calculation.',
  Settlements: 'What a partner owes for a period.',
  Reconciliations: "A partner's own list compared with a settlement.",
  Adjustments: 'Corrections of what is settled.',
  Webhooks: 'Endpoints, deliveries and attempts.',
  Impact: 'Projects, impact batches and their evidence.',
  Operators: 'People who run the service.',
  Audit: 'The chain of changes.',
  Jobs: 'What happens by the clock.',
} as const;

export type Tag = keyof typeof TAGS;

type Sent<Schema> = Schema extends TSchema ? Static<Schema> : unknown;

interface Shapes<Params, Query, Body> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
}

type Declared = Omit<OperatorRoute, 'handle' | 'params' | 'query' | 'body' | 'leastRole' | 'isFinal' | 'takesFile'>;

/** A route for operators with at least a role. */
export function operatorRoute<
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  IsFinal extends boolean = false,
  TakesFile extends boolean = false,
>(
  route: Declared &
    Shapes<Params, Query, Body> & {
      readonly leastRole: Role;
      readonly isFinal?: IsFinal;
      readonly takesFile?: TakesFile;
      readonly handle: (
        call: OperatorCall<Sent<Params>, Sent<Query>, Sent<Body>> &
          (IsFinal extends true ? FinalCall : unknown) &
          (TakesFile extends true ? FileCall : unknown),
      ) => Promise<unknown>;
    },
): OperatorRoute {
  return route as unknown as OperatorRoute;
}

/** A route that comes before a sign-in. */
export function openRoute<Body extends TSchema | undefined = undefined>(
  route: Declared & Shapes<undefined, undefined, Body> & { readonly handle: (call: OpenCall<Sent<Body>>) => Promise<unknown> },
): OperatorRoute {
  return { ...route, leastRole: 'nobody' } as unknown as OperatorRoute;
}
