import type { FastifyInstance } from 'fastify';
import type { Environment } from '../domain/access/api-key.ts';
import type { Limit } from '../domain/limit-names.ts';
import type { DatabaseOf } from '../operations/connections-per-partner.ts';
import type { Operations } from '../operations/create-operations.ts';
import type { StorageUsage } from '../operations/quotas/storage-usage.ts';
import type { Readiness } from '../operations/sandbox/readiness.ts';
import type { SandboxOperations } from '../operations/sandbox/sandbox-operations.ts';
import type { NodeWatch } from '../store/node-watch.ts';
import type { EndpointTools } from '../webhooks/endpoints/endpoint-context.ts';
import type { Authenticate } from './access/authenticate.ts';
import type { Answer } from './answer.ts';
import type { StoppableUploads } from './http/transfers/stoppable-uploads.ts';

export interface PartnerApiOptions {
  readonly environment: Environment;
  readonly operations: Operations;
  readonly authenticate: Authenticate;
  /** On a distributed database: the nodes that do not answer. */
  readonly nodes?: Pick<NodeWatch, 'suspect' | 'refusalOf'> | undefined;
  /** Only in a sandbox: the operations that partners may request there. */
  readonly sandbox?: SandboxOperations;
  /** Only in a sandbox: collects the evidence of readiness. */
  readonly readiness?: Readiness;
  /** For what partners change themselves, endpoints and a sandbox. */
  readonly databaseOf: DatabaseOf;
  /** The dependencies of changing and testing endpoints besides. */
  readonly endpointTools: Omit<EndpointTools, 'database'>;
  /** Counts what partners store. */
  readonly usage: StorageUsage;
  /** Whether `/docs` is served. */
  readonly servesReference: boolean;
  /** Ended by whoever stops the service. */
  readonly uploads: StoppableUploads;
  /** Addresses and blocks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** How many processes share the port; each counts its share of a partner's rate. */
  readonly processes: number;
  readonly onAnswer: (answer: Answer) => void;
  /** Called when a limit took effect that no answer reports. */
  readonly onLimit: (limit: Limit) => void;
  readonly onUnexpectedError: (error: unknown, correlationId: string) => void;
  /** Called before the routes are added. */
  readonly watchRoutes?: (app: FastifyInstance) => Promise<void>;
  /** Called when a request in production asked for something of the sandbox. */
  readonly onSandboxRequest?: (asked: 'scenario' | 'path') => void;
}
