import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BatchOptions, byPartner, createBatcher } from './batch-queue.ts';

describe('requests that wait for a batch', () => {
  interface Request {
    readonly partnerId: string;
    readonly number: number;
  }

  /** A queue with a concurrency of one that holds a first request until `release`; then `batches` tells what went together. */
  const hold = async (limits: Pick<BatchOptions<Request, string>, 'batchMax' | 'waitingMax' | 'isOfOneShare' | 'refusalOf'>) => {
    const batches: string[] = [];
    const released = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const submit = createBatcher<Request, string>({
      concurrency: 1,
      waitMaxMs: 60_000,
      shareOf: byPartner,
      ...limits,
      run: async (requests) => {
        const names = requests.map(({ partnerId, number }) => `${partnerId}${number}`);
        batches.push(names.join(' '));
        begun.resolve();
        await released.promise;
        return names;
      },
    });
    const of = (partnerId: string, count: number) =>
      Array.from({ length: count }, (_, index) => submit({ partnerId, number: index + 1 }));
    const held = submit({ partnerId: 'held', number: 0 });
    await begun.promise;
    const release = async () => {
      released.resolve();
      await held;
    };
    return { batches, of, release };
  };

  const refusedOf = async (outcomes: readonly Promise<string>[]) =>
    (await Promise.allSettled(outcomes)).filter(({ status }) => status === 'rejected').length;

  test('one that fills them all displaces nobody else, and nobody waits behind all of its requests', async () => {
    const { batches, of, release } = await hold({ batchMax: 4, waitingMax: 12 });
    const busy = of('busy', 20);
    const [late, other] = [of('late', 2), of('other', 1)];
    await release();
    assert.deepEqual([await refusedOf(busy), await refusedOf(late), await refusedOf(other)], [11, 0, 0]);
    assert.deepEqual(batches, ['held0', 'busy1 late1 other1 busy2', 'late2 busy3 busy4 busy5', 'busy6 busy7 busy8 busy9']);
  });

  test('one who is refused meanwhile is not run, and takes no place of others', async () => {
    const refused = new Set<string>();
    const refusalOf = (share: string) => (refused.has(share) ? new Error('lost') : undefined);
    const { batches, of, release } = await hold({ batchMax: 4, waitingMax: 12, isOfOneShare: true, refusalOf });
    const [lost, other] = [of('lost', 3), of('other', 2)];
    refused.add('lost');
    await release();
    assert.deepEqual([await refusedOf(lost), await refusedOf(other)], [3, 0]);
    assert.deepEqual(batches, ['held0', 'other1 other2']);
  });

  test('where all have as many, the latest is refused', async () => {
    const { of, release } = await hold({ batchMax: 4, waitingMax: 4 });
    const [one, two] = [of('one', 2), of('two', 2)];
    const three = of('three', 2);
    const late = of('one', 1);
    await release();
    assert.deepEqual(await Promise.all([one, two, three, late].map(refusedOf)), [1, 0, 1, 1]);
  });

  test('where a batch is of one partner, partners take turns', async () => {
    const { batches, of, release } = await hold({ batchMax: 2, waitingMax: 12, isOfOneShare: true });
    const outcomes = [...of('busy', 5), ...of('late', 1)];
    await release();
    assert.equal(await refusedOf(outcomes), 0);
    assert.deepEqual(batches, ['held0', 'busy1 busy2', 'late1', 'busy3 busy4', 'busy5']);
  });
});
