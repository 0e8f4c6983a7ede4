import { Option } from 'commander';
import type { Database } from '../../store/database.ts';
import type { DeliveryAttemptRecord } from '../../store/webhooks/attempt-log.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../store/webhooks/delivery.ts';
import type { LoggedDelivery } from '../../store/webhooks/delivery-log.ts';
import { describeOutcome } from '../../webhooks/delivery/send.ts';
import {
  type DeliveryPage,
  LATEST_DELIVERY,
  listDeliveryPage,
  listDeliveryPageOfEvent,
} from '../../webhooks/endpoints/list-delivery-page.ts';
import {
  type DeliveryWithAttempts,
  getDelivery,
  recoverExhausted,
  replayMissing,
  resend,
} from '../../webhooks/endpoints/manage-delivery.ts';
import { getEndpoint } from '../../webhooks/endpoints/manage-endpoint.ts';
import { escapeForTerminal } from '../../webhooks/receiver/escape-for-terminal.ts';
import { confirmAtTerminal, YES } from '../terminal/confirmation.ts';
import { readPastTime } from '../terminal/options.ts';
import { formatTime, printFields, printJson, printProgress, printTable, printText, type Row } from '../terminal/output.ts';
import { type PageOptions, printMore, printPage, readAfterId } from '../terminal/page.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { readDone, tellUndone } from '../terminal/read-done.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface ListOptions extends PageOptions {
  readonly partner: string;
  readonly endpoint?: string;
  readonly eventId?: string;
  readonly status?: DeliveryStatus;
}

interface Target {
  readonly partner: string;
  readonly delivery: string;
  readonly json?: boolean;
}

interface RecoverOptions {
  readonly partner: string;
  readonly endpoint: string;
  readonly since?: Date;
  readonly missing?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function deliveryCommand(): ProgramCommand {
  const delivery = new ProgramCommand('delivery').description('deliveries: one event for one endpoint, with its attempts');
  delivery
    .command('list')
    .description('deliveries of a partner, the newest first')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .option('--endpoint <id>', 'only to this endpoint')
    .option('--event-id <id>', 'only of this event')
    .formerly('event', 'event-id')
    .addOption(new Option('--status <status>', 'only with this status').choices(DELIVERY_STATUSES))
    .paged()
    .formerly('before', 'after')
    .action(withOperator('viewer', list));
  const one = (name: string, description: string) =>
    delivery
      .command(name)
      .description(description)
      .requiredOption('--partner <partner>', 'id or name of the partner')
      .requiredOption('--delivery <id>', 'id of the delivery')
      .option('--json', 'one JSON object, for programs');
  one('show', 'one delivery and all its attempts').action(withOperator('viewer', show));
  one('resend', 'send one delivery again now, even a delivered one').action(withOperator(resend.leastRole, resendOne));
  delivery
    .command('recover')
    .description('send deliveries again that an endpoint did not receive')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .requiredOption('--endpoint <id>', 'id of the endpoint')
    .option('--since <time>', 'only from this time on (default: all that are kept)', readPastTime)
    .option('--missing', 'instead of exhausted deliveries: events without a delivery to it, for example for a new endpoint')
    .option(...YES)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(replayMissing.leastRole, recover));
  return delivery;
}

async function list({ database }: OperatorContext, options: ListOptions): Promise<void> {
  const { deliveries, lastId, hasMore } = await readPage(database, options);
  const ifNone = hasMore ? 'None of the deliveries that were looked at matches.' : 'No delivery matches.';
  printPage(deliveries, options, { cursorOf: ({ deliveryId }) => deliveryId, toJson, toRow, ifNone });
  printMore(hasMore ? lastId : undefined, { json: options.json, cursorOf: (id) => id });
}

function readPage(database: Database, options: ListOptions): Promise<DeliveryPage> {
  const { partner, endpoint, eventId, status, limit } = options;
  const beforeId = readAfterId(options, 'dlv') ?? LATEST_DELIVERY;
  const wanted = { partnerId: partner, endpointId: endpoint, status, beforeId, limit };
  return eventId === undefined ? listDeliveryPage(database, wanted) : listDeliveryPageOfEvent(database, { ...wanted, eventId });
}

async function show({ database }: OperatorContext, { partner, delivery, json }: Target): Promise<void> {
  const found = await getDelivery(database, partner, delivery);
  if (json) return printJson({ ...toJson(found), log: found.log.map(attemptToJson) });
  printFields(toFields(found));
  printText('\n');
  printTable(found.log.map(attemptToRow), 'There is no attempt yet.');
}

async function resendOne({ database, actor }: OperatorContext, { partner, delivery, json }: Target): Promise<void> {
  const due = await resend(database, actor, { partnerId: partner, deliveryId: delivery });
  if (json) return printJson(toJson(due));
  const when = due.status === 'held' ? 'once its endpoint is enabled' : 'by the running service, in its turn';
  printText(`${due.deliveryId} is sent again ${when}.\n`);
}

async function recover(
  { database, actor }: OperatorContext,
  { partner, endpoint, since, missing = false, yes, json }: RecoverOptions,
): Promise<void> {
  if (missing && !since) {
    const { url } = await getEndpoint(database.pool, partner, endpoint);
    const question = `Send all kept events of which the endpoint ${endpoint} (${url}) has no delivery, however old?`;
    await confirmAtTerminal(question, 'receiver_gets_them', yes);
  }
  const onProgress = (sum: number) => printProgress(`… ${sum}`);
  const onFailure = tellUndone('The pause of the endpoint after failures was not ended', '`endpoint enable` ends it.');
  const request = { partnerId: partner, endpointId: endpoint, since: since ?? new Date(0), onProgress, onFailure };
  const recovered = missing
    ? (await replayMissing(database, actor, request)).count
    : await recoverExhausted(database, actor, request);
  if (json) return printJson({ endpoint_id: endpoint, recovered });
  const found = await readDone('endpoint show', () => getEndpoint(database.pool, partner, endpoint));
  const deliveries = `${recovered} ${missing ? 'missing' : 'exhausted'} ${recovered === 1 ? 'delivery is' : 'deliveries are'}`;
  if (!found) return printText(`${deliveries} due again.\n`);
  printText(`${deliveries} sent ${found.status === 'disabled' ? 'once their endpoint is enabled' : 'by the running service'}.\n`);
}

function toJson(delivery: LoggedDelivery): object {
  return {
    delivery_id: delivery.deliveryId,
    partner_id: delivery.partnerId,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    sequence: delivery.sequence,
    trigger: delivery.trigger,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: delivery.status === 'waiting' ? delivery.nextAttemptAt : null,
    created_at: delivery.createdAt,
    ended_at: delivery.endedAt,
  };
}

function toRow({ deliveryId, status, attempts, eventType, createdAt }: LoggedDelivery): Row {
  return { delivery: deliveryId, status, attempts: String(attempts), event: eventType, created: formatTime(createdAt) };
}

function toFields(delivery: DeliveryWithAttempts): Row {
  return {
    delivery: delivery.deliveryId,
    status: delivery.status,
    attempts: String(delivery.attempts),
    'next attempt': delivery.status === 'waiting' ? formatTime(delivery.nextAttemptAt) : '-',
    event: delivery.eventType,
    sequence: String(delivery.sequence ?? '-'),
    created: formatTime(delivery.createdAt),
    'event id': delivery.eventId,
    endpoint: delivery.endpointId,
    trigger: delivery.trigger,
    ended: formatTime(delivery.endedAt),
  };
}

function attemptToJson({ number, trigger, startedAt, milliseconds, status, errorClass, excerpt }: DeliveryAttemptRecord): object {
  return { number, trigger, started_at: startedAt, milliseconds, status, error_class: errorClass, excerpt };
}

function attemptToRow({ number, trigger, startedAt, milliseconds, status, errorClass, excerpt }: DeliveryAttemptRecord): Row {
  return {
    attempt: String(number),
    started: formatTime(startedAt),
    trigger,
    result: String(status ?? errorClass),
    ms: String(milliseconds),
    answer: status === null ? describeOutcome({ status, errorClass }) : escapeForTerminal(excerpt ?? '').slice(0, EXCERPT_MAX),
  };
}

/** The characters of an answer that fit on a line; `--json` prints everything. */
const EXCERPT_MAX = 80;
