/** What has to be true of all that arrived: I10 and I11, event by event and endpoint by endpoint. */
import { isDeepStrictEqual } from 'node:util';
import { type ArrivalLog, type Delivered, isAcknowledged, type KnownEvent } from './arrival-log.ts';
import { countEvents, type TrueContribution, type Truth } from './truth.ts';

type Report = (violation: string, kind?: string) => void;

export interface CheckedEndpoint {
  readonly number: number;
  /** Of its partner. */
  readonly truth: Truth;
  readonly mustHaveAll: boolean;
  /** Of the first event that it gets; those before are from before the endpoint. */
  readonly firstSequence: number;
}

export interface CheckedArrivals {
  readonly events: number;
  /** Events that had to arrive, times endpoints where they had to. */
  readonly deliveriesDue: number;
  readonly contentsCompared: number;
  readonly orderedPairs: number;
}

export function checkArrivals(arrivalLog: ArrivalLog, endpoints: readonly CheckedEndpoint[], report: Report): CheckedArrivals {
  const truthOf = new Map(endpoints.map(({ number, truth }) => [number, truth]));
  const truths = new Set(truthOf.values());
  let contentsCompared = 0;
  const subjects = new Map<string, KnownEvent>();
  for (const event of arrivalLog.events.values()) {
    for (const endpoint of event.endpoints) {
      const subject = findSubject(event, truthOf.get(endpoint) as Truth, truths, report);
      if (subject === undefined) continue;
      const key = `${event.eventType} ${subject.transactionId}`;
      const known = subjects.get(key);
      if (known !== undefined && known !== event)
        report(`${known.eventId} and ${event.eventId} tell the same: ${key}`, 'told twice');
      if (known === undefined) contentsCompared += compareContents(event, subject, report);
      subjects.set(key, event);
    }
  }
  const demanding = endpoints.filter(({ mustHaveAll }) => mustHaveAll);
  for (const endpoint of demanding) checkCompleteness(endpoint, arrivalLog.deliveredTo(endpoint.number), report);
  const orderedPairs = [...truths].map((truth) => checkOrder(truth, subjects, report));
  return {
    events: [...truths].reduce((sum, truth) => sum + countEvents(truth), 0),
    deliveriesDue: demanding.reduce((sum, { truth }) => sum + countEvents(truth), 0),
    contentsCompared,
    orderedPairs: orderedPairs.reduce((sum, each) => sum + each, 0),
  };
}

interface Subject {
  readonly transactionId: string;
  readonly contribution: TrueContribution;
  // biome-ignore lint/suspicious/noExplicitAny: the member `data` as it came, to be compared member by member
  readonly data: any;
}

/** The contribution that the event is about, if it is there and the partner's own. */
function findSubject(
  { eventId, eventType, body }: KnownEvent,
  truth: Truth,
  truths: Iterable<Truth>,
  report: Report,
): Subject | undefined {
  const { data } = readExactly(body) as { data: Subject['data'] };
  const transactionId = String(data?.contribution?.transaction_id);
  const contribution = truth.contributions.get(transactionId);
  if (contribution === undefined) {
    const owner = [...truths].find(({ contributions }) => contributions.has(transactionId));
    const what = owner ? `another partner's contribution (${owner.partnerId})` : 'a contribution that is not stored';
    report(`${eventId} tells ${truth.partnerId} of ${what}`, owner ? "another partner's event" : 'not committed');
    return undefined;
  }
  const isTrue = eventType === 'impact.transaction.confirmed' ? contribution.isConfirmed : contribution.isLinkedLater;
  if (!isTrue) report(`${eventId} says ${eventType} of ${transactionId}, which did not happen`, 'not committed');
  return { transactionId, contribution, data };
}

/** @returns How many members were compared with answers. */
function compareContents(
  { eventId, eventType }: KnownEvent,
  { contribution: { answered }, data }: Subject,
  report: Report,
): number {
  if (answered === undefined) return 0;
  const isConfirmation = eventType === 'impact.transaction.confirmed';
  const expected: [string, unknown, unknown][] = [['contribution', data.contribution, answered.contribution]];
  if (!isConfirmation) {
    expected.push(['change', data.change, 'associated'], ['association status', data.association?.status, 'associated']);
    if (answered.laterLink !== undefined) expected.push(['link', data.association?.link, answered.laterLink]);
  } else if (answered.association !== undefined) expected.push(['association', data.association, answered.association]);
  for (const [member, told, answer] of expected)
    if (!isDeepStrictEqual(told, answer))
      report(`${eventId}: its ${member} is ${show(told)} and was answered as ${show(answer)}`, `another ${member} than answered`);
  return expected.length;
}

/** Each event was answered 2xx once at least, and they have as many sequences as there are, one after the other. */
function checkCompleteness(
  { number, truth, firstSequence }: CheckedEndpoint,
  delivered: ReadonlyMap<string, Delivered>,
  report: Report,
): void {
  const expected = countEvents(truth);
  const acknowledged = [...delivered.values()].filter(isAcknowledged);
  if (acknowledged.length !== expected)
    report(`endpoint ${number} took ${acknowledged.length} events and there are ${expected}`, 'events lost, or too many');
  const sequences = acknowledged.map(({ sequence }) => sequence).sort((a, b) => a - b);
  const gap = sequences.findIndex((sequence, index) => sequence !== firstSequence + index);
  if (gap >= 0)
    report(
      `endpoint ${number} got the sequence ${sequences[gap]} where ${firstSequence + gap} should be`,
      'sequences with gaps or repetitions',
    );
}

/**
 * What began after another had been acknowledged has the higher sequence.
 *
 * @returns How many contributions had one acknowledged before them.
 */
function checkOrder({ contributions }: Truth, events: ReadonlyMap<string, KnownEvent>, report: Report): number {
  const confirmed = [...contributions].flatMap(([transactionId, { answered }]) => {
    const sequence = events.get(`impact.transaction.confirmed ${transactionId}`)?.sequence;
    return answered && sequence !== undefined ? [{ ...answered, sequence, transactionId }] : [];
  });
  const settled = [...confirmed].sort((a, b) => a.settledAtMs - b.settledAtMs);
  let [highest, passed, compared] = [0, 0, 0];
  for (const { begunAtMs, sequence, transactionId } of confirmed.sort((a, b) => a.begunAtMs - b.begunAtMs)) {
    for (let next = settled[passed]; next && next.settledAtMs < begunAtMs; next = settled[++passed])
      highest = Math.max(highest, next.sequence);
    if (passed > 0) compared++;
    if (sequence < highest)
      report(`${transactionId} has the sequence ${sequence}, and one settled before it began has ${highest}`, 'out of order');
  }
  return compared;
}

/** Integers in all their digits; a reader of its own. */
function readExactly(text: string): unknown {
  const exact = (_name: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value;
  return JSON.parse(text, exact as (name: string, value: unknown) => unknown);
}

function show(value: unknown): string {
  return JSON.stringify(value, (_name, member) => (typeof member === 'bigint' ? String(member) : member)) ?? 'nothing';
}
