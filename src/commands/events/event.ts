import { Option } from 'commander';
import { getPartner } from '../../operations/access/manage-partner.ts';
import { getEvent } from '../../operations/events/get-event.ts';
import { createReadEvents } from '../../operations/events/list-events.ts';
import { listDeliveries } from '../../store/webhooks/delivery-log.ts';
import { readCursor, readLimit } from '../terminal/options.ts';
import { formatTime, printBytes, printFields, printTable, printText, type Row } from '../terminal/output.ts';
import { printMore } from '../terminal/page.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface ListOptions {
  readonly partner: string;
  readonly afterSequence: bigint;
  readonly limit: number;
  readonly json?: boolean;
}

interface Target {
  readonly partner: string;
  readonly eventId: string;
  readonly json?: boolean;
}

export function eventCommand(): ProgramCommand {
  const event = new ProgramCommand('event').description('events: messages to a partner, in the order of their sequence');
  event
    .command('list')
    .description('events of a partner')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .addOption(new Option('--after-sequence <n>', 'only later ones').argParser(readCursor).default(0n, '0'))
    .option('--limit <n>', 'records in a page, 1 to 1000', readLimit, 50)
    .option('--json', 'one JSON array, for programs')
    .action(withOperator('viewer', list));
  event
    .command('show')
    .description('one event, its body and its deliveries')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .requiredOption('--event-id <id>', 'id of the event')
    .formerly('event', 'event-id')
    .option('--json', 'only the body, byte for byte, for programs')
    .action(withOperator('viewer', show));
  return event;
}

/** A command sends one request at a time. */
const PLACES = { concurrency: 1 };

async function list(
  { database, config: { environment } }: OperatorContext,
  { partner, afterSequence, limit, json }: ListOptions,
): Promise<void> {
  await getPartner(database.pool, partner);
  const page = await createReadEvents(database, environment, PLACES).page({ partnerId: partner, afterSequence, limit });
  // The stored bytes: a number in them may be larger than JavaScript's exact integers.
  const more = { json, option: '--after-sequence', cursorOf: String };
  const next = page.hasMore ? page.nextAfterSequence : undefined;
  if (json) {
    printBytes(`[${page.events.map(({ body }) => body).join(',')}]\n`);
    return printMore(next, more);
  }
  const rows = page.events.map(
    ({ sequence, occurredAt, eventType, eventId }): Row => ({
      sequence: String(sequence),
      occurred: formatTime(occurredAt),
      event: eventType,
      'event id': eventId,
    }),
  );
  printTable(rows, 'No event matches.');
  printMore(next, more);
}

const DELIVERIES_SHOWN = 100;

async function show({ database, config: { environment } }: OperatorContext, { partner, eventId, json }: Target): Promise<void> {
  await getEvent(database.pool, partner, eventId);
  const event = await createReadEvents(database, environment, PLACES).byId({ partnerId: partner, eventId });
  if (json) return printBytes(`${event.body.toString()}\n`);
  printFields({
    event: event.eventId,
    type: event.eventType,
    sequence: String(event.sequence),
    occurred: formatTime(event.occurredAt),
    about: event.subjectId,
    'correlation id': event.correlationId ?? '-',
  });
  printText(`\n${event.body.toString()}\n\n`);
  const deliveries = await listDeliveries(database.pool, partner, { eventId, limit: DELIVERIES_SHOWN });
  const rows = deliveries.map(
    ({ deliveryId, endpointId, status, attempts, trigger }): Row => ({
      delivery: deliveryId,
      endpoint: endpointId,
      status,
      attempts: String(attempts),
      trigger,
    }),
  );
  printTable(rows, 'No endpoint received this type of event when it happened.');
}
