import { forEachSettled } from '../concurrency/for-each-settled.ts';
import { pluralise } from '../domain/pluralise.ts';
import { type LostNode, type NodeReader, partnersOn } from '../store/node-reader.ts';

/** Work of several partners that was not done for all of them. The cause is the first failure. */
export class PartnersLeftError extends AggregateError {
  override readonly name = 'PartnersLeftError';
  /** Whose work failed, or whose rows could not be looked at. */
  readonly partnerIds: ReadonlySet<string>;

  constructor(message: string, failures: readonly unknown[], partnerIds: ReadonlySet<string>) {
    super(failures, `${message} ${nameSome([...partnerIds])}`, { cause: failures[0] });
    this.partnerIds = partnerIds;
  }
}

const NAMED_MAX = 10;

function nameSome(partnerIds: readonly string[]): string {
  const more = partnerIds.length - NAMED_MAX;
  const named = partnerIds.slice(0, NAMED_MAX).join(', ');
  return more > 0 ? `Left: ${named} and ${more} more.` : `Left: ${named}.`;
}

interface Options {
  readonly signal?: AbortSignal | undefined;
  /** The error message for this number of items. */
  readonly failed: (count: number) => string;
  readonly atOnce?: number;
}

/**
 * Does the work for each item, in their order, as {@link forEachSettled} does. A failure for one partner does not stop the others, and a
 * node of a distributed database that does not answer is not asked for the next of its partners.
 *
 * @param nodes Has read the items, or at least what decides whether there is work: the partners that it could not read are left out too.
 * @throws PartnersLeftError After the work for all others.
 * @throws Error Why the items could not be read to their end, so that it is unknown whose work is left; with a `PartnersLeftError` for
 *   those that are known, as an `AggregateError`.
 */
export async function forEachPartner<Item extends { readonly partnerId: string }>(
  nodes: NodeReader,
  items: Iterable<Item> | AsyncIterable<Item>,
  { failed, ...options }: Options,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: { readonly partnerId: string; readonly error: unknown }[] = [];
  const read = forEachSettled(items, { ...options, failed }, async (item) => {
    const { partnerId } = item;
    if (nodes.isLost(partnerId)) return;
    await work(item).catch(async (error: unknown) => {
      // Where the look fails too, the partner is left because of its own failure.
      await nodes.look(partnerId).catch(() => {});
      if (!nodes.isLost(partnerId)) failures.push({ partnerId, error });
    });
  });
  const unread = await read.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const left = leftOf(failures, { failed, lost: nodes.lost });
  if (unread && left) throw new AggregateError([unread.error, left], `${whyOf(unread.error)}. ${left.message}`);
  if (unread) throw unread.error;
  if (left) throw left;
}

function leftOf(
  failures: readonly { readonly partnerId: string; readonly error: unknown }[],
  { failed, lost }: Pick<Options, 'failed'> & { readonly lost: readonly LostNode[] },
): PartnersLeftError | undefined {
  if (failures.length === 0 && lost.length === 0) return undefined;
  const message = [
    ...(failures.length > 0 ? [`${failed(failures.length)} The first: ${whyOf(failures[0]?.error)}.`] : []),
    ...lost.map(sayLeftOut),
  ].join(' ');
  const all = [...lost.map(({ failure }) => failure), ...failures.map(({ error }) => error)];
  return new PartnersLeftError(message, all, new Set([...failures.map(({ partnerId }) => partnerId), ...partnersOn(lost)]));
}

/** Says of nodes that do not answer whose rows were left out, and why. */
export function partnersOfLost(lost: readonly LostNode[]): PartnersLeftError {
  const failures = lost.map(({ failure }) => failure);
  return new PartnersLeftError(lost.map(sayLeftOut).join(' '), failures, partnersOn(lost));
}

function sayLeftOut({ partnerIds, failure }: LostNode): string {
  return `${pluralise(partnerIds.size, 'partner')} left out: ${whyOf(failure)}.`;
}

/** On one line, without the full stop. */
function whyOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/\s+/g, ' ').trim().replace(/[.?]$/, '');
}
