import type { Config } from '../config.ts';
import type { Log } from '../observability/log.ts';
import { throttled } from '../observability/throttled.ts';
import type { DatabaseOf } from '../operations/connections-per-partner.ts';
import { type Readiness, watchReadiness } from '../operations/sandbox/readiness.ts';
import { type SandboxOperations, sandboxOperations } from '../operations/sandbox/sandbox-operations.ts';
import type { Database } from '../store/database.ts';
import type { NodeWatch } from '../store/node-watch.ts';
import type { EndpointTools } from '../webhooks/endpoints/endpoint-context.ts';
import { openGuardedAgent } from '../webhooks/security/guarded-agent.ts';
import { openConfiguredSecretBox } from './keys/configured-keys.ts';
import { configuredSettlementTools } from './keys/configured-seals.ts';

export function openSandbox(databaseOf: DatabaseOf, config: Config): SandboxOperations {
  const { reviewExpiryHours } = config;
  return sandboxOperations(databaseOf, { reviewExpiryHours, settlementTools: configuredSettlementTools(config) });
}

export function openReadiness(
  database: Database,
  { logger }: Log,
  { nodes, parts }: { readonly nodes: Pick<NodeWatch, 'refusalOf'> | undefined; readonly parts: AsyncDisposableStack },
): Readiness {
  const onError = throttled((err, times) => logger.warn({ err, times }, 'evidence of readiness could not be recorded'));
  const readiness = watchReadiness(database, onError, nodes?.refusalOf);
  parts.defer(() => readiness.close());
  return readiness;
}

/** With separate connections: a partner's server that hangs takes none from deliveries. */
export function openEndpointTools(
  database: Database,
  config: Config,
  clock: () => number,
  parts: AsyncDisposableStack,
): EndpointTools {
  const guard = { allowInsecure: config.allowsInsecureWebhooks, allowThisMachine: config.allowsWebhooksToThisMachine };
  const client = openGuardedAgent(guard);
  parts.defer(() => client.destroy());
  return {
    database,
    environment: config.environment,
    client,
    ...guard,
    clock,
    // Its keys are read when they are needed: a process that only answers may have none.
    get secretBox() {
      return openConfiguredSecretBox(config);
    },
  };
}
