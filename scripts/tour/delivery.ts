import { type Listener, runCommand, startListener } from './operator.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import { openPrinter } from './show.ts';
import { CONFIRM, day, expect, type Story } from './story.ts';

/** An event arrives at a receiver on this machine, and verifies. */
export async function deliverEvent(story: Story): Promise<void> {
  story.chapter("8. The partner's server is told");
  story.explain(
    'A service sends events to public https addresses only. A sandbox with the embedded database sends to this machine too; this chapter has one of its own, an empty one:',
  );
  story.command('DATA_DIR=$(mktemp -d) npx partner-impact serve &');
  const sandbox = await openSandbox();
  try {
    story.output(`Partner Impact (sandbox) listens on ${sandbox.baseUrl}`);
    await runDelivery(story, sandbox);
  } finally {
    await sandbox.close();
  }
}

/** What the steps have in common. */
interface Scene {
  readonly story: Story;
  readonly sandbox: Sandbox;
  readonly partnerId: string;
}

async function runDelivery(story: Story, sandbox: Sandbox): Promise<void> {
  const made = JSON.parse(await runCommand(['partner', 'create', '--name', 'Tour', '--json'], sandbox.settings));
  const scene = { story, sandbox, partnerId: made.partner_id as string };
  story.explain(
    "\nThis receiver stands for the partner's server. The operator adds its address, and it answers a signed challenge.",
  );
  let receiver = await listen(story, 0);
  try {
    const { endpointId, secret } = await addEndpoint(scene, receiver);
    story.explain('\nThe secret is in place now: the same receiver again, which verifies what arrives.');
    await receiver.stop();
    receiver = await listen(story, Number(new URL(receiver.url).port), secret);
    await confirmAndReceive(scene, endpointId, receiver);
  } finally {
    await receiver.stop();
  }
}

async function runShown({ story, sandbox }: Scene, args: readonly string[]): Promise<string> {
  story.command(`npx partner-impact ${args.join(' ')}`);
  const output = await runCommand(args, sandbox.settings);
  story.output(output.trimEnd());
  return output;
}

async function listen(story: Story, port: number, secret?: string): Promise<Listener> {
  story.command(`${secret === undefined ? '' : `WEBHOOK_SECRET=${secret} `}npx partner-impact webhook listen --port ${port} &`);
  const receiver = await startListener(port, secret);
  story.output(`Receiving events at ${receiver.url}`);
  return receiver;
}

const CHALLENGE_WITHIN_MS = 2_000;

async function addEndpoint(scene: Scene, receiver: Listener): Promise<{ endpointId: string; secret: string }> {
  const printed = await runShown(scene, ['endpoint', 'add', '--partner', scene.partnerId, '--url', receiver.url]);
  scene.story.explain('\nWhat the receiver showed:');
  scene.story.output((await receiver.nextLine(CHALLENGE_WITHIN_MS)) ?? '');
  const field = (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(printed)?.[1] ?? '';
  return { endpointId: field('endpoint_id'), secret: field('secret') };
}

const EVENT_WITHIN_MS = 15_000;

async function confirmAndReceive({ story, sandbox, partnerId }: Scene, endpointId: string, receiver: Listener): Promise<void> {
  const issued = JSON.parse(await runCommand(['key', 'issue', '--partner', partnerId, '--json'], sandbox.settings));
  const partner = openPrinter({ baseUrl: sandbox.baseUrl, apiKey: issued.api_key });
  const body = { partner_event_id: `event-${day}-5`, partner_order_ref: `order-${day}-5`, points: 120 };
  expect(await partner.call({ ...CONFIRM, idempotencyKey: `confirm-${day}-5`, body }), 201);
  story.explain('\nWhat the receiver shows:');
  await showUntil(story, receiver, 'impact.transaction.confirmed');
  story.explain('\nSigned by the service, verified by the receiver, answered 200. In the log of deliveries:');
  await runShown({ story, sandbox, partnerId }, ['delivery', 'list', '--partner', partnerId, '--endpoint', endpointId]);
}

/** An endpoint that is added at once may get what happened just before it too: the partner's first settlement. */
async function showUntil(story: Story, receiver: Listener, eventType: string): Promise<void> {
  for (;;) {
    const line = await receiver.nextLine(EVENT_WITHIN_MS);
    if (!line?.endsWith(' valid')) throw new Error(`The tour expected a delivery that verifies, and got: ${line ?? 'none'}`);
    story.output(line);
    if (line.includes(`  ${eventType}  `)) return;
  }
}
