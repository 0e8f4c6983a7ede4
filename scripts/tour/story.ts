import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly idempotencyKey?: string;
  readonly body?: object;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the story reads what the contract says is there
  readonly body: any;
}

/** How the story is shown. */
export interface Story {
  chapter(title: string): void;
  explain(sentence: string): void;
  /** Sends a request, shows it and its answer. */
  call(call: Call): Promise<Answer>;
  /** Sends a request and loses its answer, as a network does. */
  loseAnswer(call: Call): Promise<void>;
  /** Shows a command of the operator's. */
  command(line: string): void;
  /** Shows what a program printed. */
  output(text: string): void;
}

/** Fresh in every run, so that the tour can be taken again. */
export const day = randomUUID().slice(0, 8);

export const CONFIRM = { method: 'POST', path: '/v1/impact-transactions' } as const;

export async function tellStory(story: Story): Promise<void> {
  const calculationId = await estimateDelivery(story);
  const confirmation = await confirmWithEstimate(story, calculationId);
  await repeat(story, confirmation);
  await conflict(story, confirmation);
  await recover(story);
  await linkLater(story);
  await fetchEvents(story);
}

export function endStory(story: Story): void {
  story.chapter('The day is over');
  story.explain('Every contribution was recorded once, whatever was lost on the way. The documentation is at /docs.\n');
}

export function expect(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`The tour expected ${status} and got ${answer.status}.`);
  return answer;
}

async function estimateDelivery(story: Story): Promise<string> {
  story.chapter('1. A delivery is estimated');
  story.explain('For information: how much a delivery of 12.345 km by car emits. It is not related to any points.');
  const body = {
    partner_order_ref: `order-${day}-1`,
    distance_km: '12.345',
    distance_unit: 'km',
    vehicle_category: 'car_gasoline',
  };
  const answer = await story.call({ method: 'POST', path: '/v1/emissions/estimates', idempotencyKey: `estimate-${day}-1`, body });
  return expect(answer, 201).body.estimate.calculation_id;
}

async function confirmWithEstimate(story: Story, calculationId: string): Promise<Call> {
  story.chapter('2. A customer gives 250 points, and the estimate is linked');
  story.explain("The customer's points are deducted first, by the partner. The key was chosen and stored before sending.");
  const body = {
    partner_event_id: `event-${day}-1`,
    partner_order_ref: `order-${day}-1`,
    points: 250,
    calculation_id: calculationId,
  };
  const call: Call = { ...CONFIRM, idempotencyKey: `confirm-${day}-1`, body };
  expect(await story.call(call), 201);
  return call;
}

async function repeat(story: Story, confirmation: Call): Promise<void> {
  story.chapter('3. The same request again: a replay');
  story.explain('Same key, same payload: the original result, marked Idempotent-Replayed. Nothing is recorded twice.');
  expect(await story.call(confirmation), 201);
}

async function conflict(story: Story, confirmation: Call): Promise<void> {
  story.chapter('4. Mistakes are refused, and say what to do');
  story.explain('The same key with other points. The details say: do not restore points, look up first.');
  expect(await story.call({ ...confirmation, body: { ...confirmation.body, points: 300 } }), 409);
  story.explain('\nAnother event for the same order: one order confirms once.');
  const second = { partner_event_id: `event-${day}-2`, partner_order_ref: `order-${day}-1`, points: 100 };
  expect(await story.call({ ...CONFIRM, idempotencyKey: `confirm-${day}-2`, body: second }), 409);
}

async function recover(story: Story): Promise<void> {
  story.chapter('5. An answer is lost');
  story.explain(
    'The points are deducted and the request is sent, but no answer comes. Points are NOT restored: the outcome is unknown.',
  );
  const body = { partner_event_id: `event-${day}-3`, partner_order_ref: `order-${day}-3`, points: 75 };
  const call: Call = { ...CONFIRM, idempotencyKey: `confirm-${day}-3`, body };
  await story.loseAnswer(call);
  story.explain('\nFirst look up by partner_event_id …');
  const found = await story.call({ method: 'GET', path: `${CONFIRM.path}?partner_event_id=${body.partner_event_id}` });
  if (found.status === 200) return story.explain('… it is recorded. Done.');
  story.explain('… not found: this is not a failure. The identical request goes again, with the same key.');
  expect(await story.call(call), 201);
}

async function linkLater(story: Story): Promise<void> {
  story.chapter('6. An estimate is linked later');
  const order = `order-${day}-4`;
  const confirmation = { partner_event_id: `event-${day}-4`, partner_order_ref: order, points: 40 };
  const confirmed = expect(await story.call({ ...CONFIRM, idempotencyKey: `confirm-${day}-4`, body: confirmation }), 201);
  const delivery = {
    partner_order_ref: order,
    distance_km: '0.069',
    distance_unit: 'km',
    vehicle_category: 'motorcycle_gasoline',
  };
  const estimated = await story.call({
    method: 'POST',
    path: '/v1/emissions/estimates',
    idempotencyKey: `estimate-${day}-4`,
    body: delivery,
  });
  const { calculation_id } = expect(estimated, 201).body.estimate;
  const path = `${CONFIRM.path}/${confirmed.body.contribution.transaction_id}/emissions-associations`;
  expect(await story.call({ method: 'POST', path, idempotencyKey: `link-${day}-4`, body: { calculation_id } }), 201);
  story.explain('\nThe contribution shows the link from now on.');
  expect(await story.call({ method: 'GET', path: `${CONFIRM.path}/${confirmed.body.contribution.transaction_id}` }), 200);
}

const EVENT_WITHIN_MS = 1_000;

async function fetchEvents(story: Story): Promise<void> {
  story.chapter('7. What happened, as events');
  story.explain(
    'A partner fetches its events in the order of sequence and without gaps. Each is there within a second. Here, one a page.',
  );
  await sleep(EVENT_WITHIN_MS);
  const { body } = expect(await story.call({ method: 'GET', path: '/v1/events?after_sequence=0&limit=1' }), 200);
  story.explain(`\nThe next page begins after ${body.next_after_sequence}.`);
}
