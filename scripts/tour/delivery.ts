import { type Listener, runCommand, startListener } from './operator.ts';
import { CONFIRM, day, expect, type Story } from './story.ts';

/** What the chapter needs beside the story: a partner whose endpoint the operator may add. */
export interface OwnPartner {
  readonly partnerId: string;
  /** Whether this process, and a service with the same settings, send events to this machine. */
  readonly reachesThisMachine: boolean;
}

const HOW_TO_SEE_IT = `Start both with it to see a delivery arrive:
  WEBHOOK_ALLOW_INSECURE=loopback npm start
  WEBHOOK_ALLOW_INSECURE=loopback npm run tour`;

/** An event arrives at a receiver on this machine, and verifies. Left out, with the reason, where the service may not send it there. */
export async function deliverEvent(story: Story, partner: OwnPartner | undefined): Promise<void> {
  story.chapter("8. The partner's server is told");
  if (!partner) return story.explain('Left out: only a partner that the tour makes by itself gets an endpoint on this machine.');
  if (!partner.reachesThisMachine)
    return story.explain(`Left out: by these settings (WEBHOOK_ALLOW_INSECURE) no event goes to this machine. ${HOW_TO_SEE_IT}`);
  const { partnerId } = partner;
  story.explain(
    "This receiver stands for the partner's server. The operator adds its address, and it answers a signed challenge.",
  );
  let receiver = await listen(story, 0);
  try {
    const { endpointId, secret } = await addEndpoint(story, partnerId, receiver);
    try {
      story.explain('\nThe secret is in place now: the same receiver again, which verifies what arrives.');
      await receiver.stop();
      receiver = await listen(story, Number(new URL(receiver.url).port), secret);
      await confirmAndReceive(story, { partnerId, endpointId, receiver });
    } finally {
      await runShown(story, ['endpoint', 'remove', '--partner', partnerId, '--endpoint', endpointId]);
    }
  } finally {
    await receiver.stop();
  }
}

async function runShown(story: Story, args: readonly string[]): Promise<string> {
  story.command(`npx partner-impact ${args.join(' ')}`);
  const output = await runCommand(args);
  story.output(output.trimEnd());
  return output;
}

async function listen(story: Story, port: number, secret?: string): Promise<Listener> {
  story.command(`${secret === undefined ? '' : `WEBHOOK_SECRET=${secret} `}npx partner-impact webhook listen --port ${port} &`);
  const receiver = await startListener(port, secret);
  story.output(`Events are received at ${receiver.url}`);
  return receiver;
}

const CHALLENGE_WITHIN_MS = 2_000;

async function addEndpoint(story: Story, partnerId: string, receiver: Listener): Promise<{ endpointId: string; secret: string }> {
  const printed = await runShown(story, ['endpoint', 'add', '--partner', partnerId, '--url', receiver.url]);
  story.explain('\nWhat the receiver showed:');
  story.output((await receiver.nextLine(CHALLENGE_WITHIN_MS)) ?? '');
  const field = (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(printed)?.[1] ?? '';
  return { endpointId: field('endpoint_id'), secret: field('secret') };
}

interface Receiving {
  readonly partnerId: string;
  readonly endpointId: string;
  readonly receiver: Listener;
}

/** An attempt that is refused for its address is made at once; one that succeeds as well. */
const FIRST_LOOK_MS = 3_000;
const LAST_LOOK_MS = 10_000;

async function confirmAndReceive(story: Story, { partnerId, endpointId, receiver }: Receiving): Promise<void> {
  const body = { partner_event_id: `event-${day}-5`, partner_order_ref: `order-${day}-5`, points: 120 };
  expect(await story.call({ ...CONFIRM, idempotencyKey: `confirm-${day}-5`, body }), 201);
  story.explain('\nWhat the receiver shows:');
  const line = await receiver.nextLine(FIRST_LOOK_MS);
  const delivery = line === undefined ? await findDelivery(partnerId, endpointId) : undefined;
  if (delivery?.isAddressRefused) {
    await runShown(story, ['delivery', 'show', '--partner', partnerId, '--delivery', delivery.deliveryId]);
    return story.explain(
      `\nLeft out: the service that runs sends no event to this machine (WEBHOOK_ALLOW_INSECURE). ${HOW_TO_SEE_IT}`,
    );
  }
  const arrived = line ?? (await receiver.nextLine(LAST_LOOK_MS));
  if (!arrived?.endsWith(' valid')) throw new Error(`The tour expected a delivery that verifies, and got: ${arrived ?? 'none'}`);
  story.output(arrived);
  story.explain('\nSigned by the service, verified by the receiver, answered 200. In the log of deliveries:');
  await runShown(story, ['delivery', 'list', '--partner', partnerId, '--endpoint', endpointId]);
}

async function findDelivery(partnerId: string, endpointId: string) {
  const listed = await runCommand(['delivery', 'list', '--partner', partnerId, '--endpoint', endpointId, '--json']);
  const [newest] = JSON.parse(listed) as { delivery_id: string }[];
  if (!newest) return undefined;
  const shown = await runCommand(['delivery', 'show', '--partner', partnerId, '--delivery', newest.delivery_id, '--json']);
  const { log } = JSON.parse(shown) as { log: { error_class: string | null }[] };
  return { deliveryId: newest.delivery_id, isAddressRefused: log.at(-1)?.error_class === 'address_refused' };
}
