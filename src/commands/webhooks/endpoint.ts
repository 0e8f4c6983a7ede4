import { Option } from 'commander';
import type { Config } from '../../config.ts';
import type { EndpointHealth } from '../../domain/webhooks/endpoint-health.ts';
import { openConfiguredSecretBox, requireSecretsKey } from '../../service/keys/configured-keys.ts';
import type { Database } from '../../store/database.ts';
import {
  listWebhookEndpoints,
  pausedUntil,
  secretRotatesAt,
  type WebhookEndpoint,
} from '../../store/webhooks/webhook-endpoint.ts';
import { describeOutcome } from '../../webhooks/delivery/send.ts';
import { addEndpoint } from '../../webhooks/endpoints/add-endpoint.ts';
import type { EndpointTools } from '../../webhooks/endpoints/endpoint-context.ts';
import {
  disableEndpoint,
  enableEndpoint,
  getEndpoint,
  removeEndpoint,
  updateEventTypes,
} from '../../webhooks/endpoints/manage-endpoint.ts';
import { requireKeyOfSecrets } from '../../webhooks/endpoints/require-key-of-secrets.ts';
import { activateSecret, rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts';
import { testEndpoint } from '../../webhooks/endpoints/test-endpoint.ts';
import { escapeForTerminal } from '../../webhooks/receiver/escape-for-terminal.ts';
import { openGuardedAgent } from '../../webhooks/security/guarded-agent.ts';
import type { SecretBox } from '../../webhooks/security/secret-box.ts';
import { confirm, YES } from '../terminal/confirmation.ts';
import { readPort } from '../terminal/options.ts';
import { formatTime, printFields, printJson, printProgress, printText, type Row } from '../terminal/output.ts';
import { listAfter, type PageOptions, printPage } from '../terminal/page.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { readDone, tellUndone } from '../terminal/read-done.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface Target {
  readonly partner: string;
  readonly endpoint: string;
  readonly json?: boolean;
}

interface Wanted {
  readonly events: readonly string[];
}

interface Sealing {
  readonly partner: string;
  readonly keyIsLost?: boolean;
}

/** The option of every command that seals a secret: `.option(...KEY_IS_LOST)`. */
const KEY_IS_LOST = ['--key-is-lost', 'seal under a SECRETS_KEY that opens no stored secret: the old key is lost'] as const;

/** The service stores no list for all event types, so that types of a later version are included. */
const ALL = 'all';

export function endpointCommand(): ProgramCommand {
  const endpoint = new ProgramCommand('endpoint').description("webhook endpoints: addresses that receive a partner's events");
  const one = (name: string, description: string) =>
    endpoint
      .command(name)
      .description(description)
      .requiredOption('--partner <partner>', 'id or name of the partner')
      .requiredOption('--endpoint <id>', 'id of the endpoint')
      .option('--json', 'one JSON object, for programs');
  endpoint
    .command('add')
    .description('add an endpoint; it must answer a signed challenge, and its secret is shown only once')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .requiredOption('--url <url>', 'https address that receives the events')
    .option('--events <kinds...>', 'event types (default: all)')
    .option('--allow-port <port>', 'allow this port, which is neither 443 nor above 1023', readPort)
    .option(...KEY_IS_LOST)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(addEndpoint.leastRole, add));
  endpoint
    .command('list')
    .description('the endpoints of a partner')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .paged()
    .action(withOperator('viewer', list));
  one('show', 'one endpoint and its state').action(withOperator('viewer', show));
  one('update', 'change the event types')
    .requiredOption('--events <kinds...>', 'event types, or "all"')
    .action(withOperator(updateEventTypes.leastRole, update));
  one('disable', 'hold the events of an endpoint').action(withOperator(disableEndpoint.leastRole, disable));
  one('enable', 'enable an endpoint, and send its held events first').action(withOperator(enableEndpoint.leastRole, enable));
  one('remove', 'remove an endpoint permanently; its waiting deliveries are dropped')
    .option(...YES)
    .action(withOperator(removeEndpoint.leastRole, remove));
  one('rotate-secret', 'create a second secret; both sign for 24 hours, or until the new one is activated')
    .addOption(new Option('--activate', 'activate the new secret now as the only one').conflicts(['replace', 'keyIsLost']))
    .option('--replace', 'end a new secret that is not active yet, and create another')
    .option(...KEY_IS_LOST)
    .option(...YES)
    .action(withOperator(rotateSecret.leastRole, rotate));
  one('test', 'send a signed test event now, and show the answer of the receiver').action(
    withOperator(testEndpoint.leastRole, test),
  );
  return endpoint;
}

async function withTools(
  { database, config }: OperatorContext,
  openBox: () => SecretBox,
  use: (tools: EndpointTools) => Promise<void>,
): Promise<void> {
  const guard = { allowInsecure: config.allowsInsecureWebhooks, allowThisMachine: config.allowsWebhooksToThisMachine };
  const client = openGuardedAgent(guard);
  try {
    await use({
      database,
      environment: config.environment,
      client,
      ...guard,
      clock: Date.now,
      // Read when it is needed: without an endpoint there may be no key.
      get secretBox() {
        return openBox();
      },
    });
  } finally {
    await client.close();
  }
}

/** Where there are secrets already. A new key would open none of them. */
function openExistingBox(config: Config): SecretBox {
  requireSecretsKey(config);
  return openConfiguredSecretBox(config);
}

async function openSealingBox({ database, config }: OperatorContext, { partner, keyIsLost }: Sealing): Promise<SecretBox> {
  if (keyIsLost) return openExistingBox(config);
  await requireKeyOfSecrets(database.pool, partner, () => openExistingBox(config));
  return openConfiguredSecretBox(config);
}

async function add(
  context: OperatorContext,
  options: Partial<Wanted> & Sealing & { url: string; allowPort?: number; json?: boolean },
): Promise<void> {
  const { partner, url, events = [ALL], allowPort, json } = options;
  const box = await openSealingBox(context, options);
  const openBox = () => box;
  await withTools(context, openBox, async (tools) => {
    const wanted = { partnerId: partner, url, eventTypes: listTypes(events), allowedPort: allowPort };
    const added = await addEndpoint(tools, context.actor, wanted);
    const fields = { endpoint_id: added.endpointId, url: added.url, secret: added.secret };
    if (json) return printJson(fields);
    printFields(fields);
    printText('\nThe secret is shown only once. It verifies the signatures of deliveries.\n');
  });
}

function listTypes(kinds: readonly string[]): readonly string[] {
  return kinds.length === 1 && kinds[0] === ALL ? [] : kinds;
}

async function list({ database: { pool } }: OperatorContext, options: PageOptions & { partner: string }): Promise<void> {
  const cursorOf = ({ endpointId }: WebhookEndpoint) => endpointId;
  const ifNone = 'The partner has no endpoint. Add one: npx partner-impact endpoint add --partner ID --url URL';
  const endpoints = listAfter(await listWebhookEndpoints(pool, options.partner), options, cursorOf);
  const toShortRow = (endpoint: WebhookEndpoint & EndpointHealth) => {
    const { 'old secret ends': _inShow, ...row } = toRow(endpoint);
    return row;
  };
  printPage(endpoints, options, { cursorOf, toJson, toRow: toShortRow, ifNone });
}

async function show({ database }: OperatorContext, { partner, endpoint, json }: Target): Promise<void> {
  print(await getEndpoint(database.pool, partner, endpoint), json);
}

async function update({ database, actor }: OperatorContext, { partner, endpoint, events, json }: Target & Wanted): Promise<void> {
  const id = { partnerId: partner, endpointId: endpoint };
  await printChanged(database, await updateEventTypes(database, actor, id, listTypes(events)), json);
}

async function disable({ database, actor }: OperatorContext, { partner, endpoint, json }: Target): Promise<void> {
  const id = { partnerId: partner, endpointId: endpoint };
  await printChanged(database, await disableEndpoint(database, actor, id, 'An operator disabled it.'), json);
}

async function enable({ database, actor }: OperatorContext, { partner, endpoint, json }: Target): Promise<void> {
  const id = { partnerId: partner, endpointId: endpoint };
  const told = {
    onProgress: (sum: number) => printProgress(`… ${sum} held deliveries`),
    onFailure: tellUndone('Not all held deliveries are due at once', 'The service sends them in their turn.'),
  };
  await printChanged(database, await enableEndpoint(database, actor, id, told), json);
}

async function remove(
  { database, actor }: OperatorContext,
  { partner, endpoint, yes, json }: Target & { yes?: boolean },
): Promise<void> {
  const { url } = await getEndpoint(database.pool, partner, endpoint);
  await confirm(`Remove the endpoint ${endpoint} (${url}) and drop its waiting deliveries?`, 'final', yes);
  const removed = await removeEndpoint(database, actor, { partnerId: partner, endpointId: endpoint });
  if (json) printJson({ endpoint_id: removed.endpointId, status: removed.status });
  else printText(`Removed ${removed.endpointId}.\n`);
}

async function rotate(
  context: OperatorContext,
  options: Target & Sealing & { activate?: boolean; replace?: boolean; yes?: boolean },
): Promise<void> {
  const { partner, endpoint, activate, replace, yes, json } = options;
  const id = { partnerId: partner, endpointId: endpoint };
  const { database, actor } = context;
  if (activate) {
    await confirm(`End the old secret of the endpoint ${endpoint} now, so that only the new one signs?`, 'final', yes);
    return printChanged(database, await activateSecret(database, actor, id), json);
  }
  if (replace)
    await confirm(
      `End the new secret of the endpoint ${endpoint}, which its receiver may use already, and make another?`,
      'final',
      yes,
    );
  const secretBox = await openSealingBox(context, options);
  const { secret, from } = await rotateSecret({ database, secretBox }, actor, id, replace);
  const fields = { endpoint_id: endpoint, secret, only_secret_from: from.toISOString() };
  if (json) return printJson(fields);
  printFields(fields);
  printText('\nThe secret is shown only once. Until then both sign: X-Service-Signature has the old one, …-Next the new one.\n');
}

async function test(context: OperatorContext, { partner, endpoint, json }: Target): Promise<void> {
  const id = { partnerId: partner, endpointId: endpoint };
  const openBox = () => openExistingBox(context.config);
  await withTools(context, openBox, async (tools) => {
    const { claimed, isSuccess, status, errorClass, milliseconds, excerpt } = await testEndpoint(tools, context.actor, id);
    if (!isSuccess) process.exitCode = 1;
    if (json) {
      const answer = { status, error_class: errorClass, milliseconds, excerpt };
      return printJson({ delivery_id: claimed.deliveryId, event_id: claimed.eventId, delivered: isSuccess, ...answer });
    }
    const outcome = describeOutcome({ status, errorClass });
    printText(`${isSuccess ? 'Delivered' : 'Not delivered'}: ${outcome}, after ${milliseconds} ms.\n`);
    if (excerpt) printText(`    ${escapeForTerminal(excerpt)}\n`);
    printText(`Delivery ID: ${claimed.deliveryId}\n`);
  });
}

/** The change is done, even when its health cannot be read at the moment. */
async function printChanged({ pool }: Database, changed: WebhookEndpoint, json: boolean | undefined): Promise<void> {
  const { partnerId, endpointId, status } = changed;
  const endpoint = await readDone('endpoint show', () => getEndpoint(pool, partnerId, endpointId));
  if (endpoint) print(endpoint, json);
  else if (json) printJson({ endpoint_id: endpointId, partner_id: partnerId, status });
}

function print(endpoint: WebhookEndpoint & EndpointHealth, json: boolean | undefined): void {
  if (json) printJson(toJson(endpoint));
  else printFields(toRow(endpoint));
}

function toJson(endpoint: WebhookEndpoint & EndpointHealth): object {
  return {
    endpoint_id: endpoint.endpointId,
    partner_id: endpoint.partnerId,
    url: endpoint.url,
    event_types: endpoint.eventTypes,
    status: endpoint.status,
    status_reason: endpoint.statusReason,
    failures_in_row: endpoint.failuresInRow,
    failing_since: endpoint.failingSince,
    paused_until: pausedUntil(endpoint),
    secret_rotates_at: secretRotatesAt(endpoint),
    created_at: endpoint.createdAt,
  };
}

function toRow(endpoint: WebhookEndpoint & EndpointHealth): Row {
  return {
    endpoint: endpoint.endpointId,
    status: endpoint.statusReason === null ? endpoint.status : `${endpoint.status}: ${endpoint.statusReason}`,
    events: endpoint.eventTypes.length === 0 ? 'all' : endpoint.eventTypes.join(' '),
    failures: formatFailures(endpoint),
    'old secret ends': formatTime(secretRotatesAt(endpoint)),
    created: formatTime(endpoint.createdAt),
    url: endpoint.url,
  };
}

function formatFailures(endpoint: WebhookEndpoint & EndpointHealth): string {
  if (endpoint.failuresInRow === 0) return '0';
  const pause = pausedUntil(endpoint);
  return `${endpoint.failuresInRow} since ${formatTime(endpoint.failingSince)}${pause ? `, circuit open until ${formatTime(pause)}` : ''}`;
}
