import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { watchTransfer } from './watched-transfer.ts';

describe('a transfer', () => {
  /** Each chunk takes so long on the partner's side. */
  async function carry(
    partner: 'sends' | 'takes',
    chunks: readonly [bytes: number, ms: number][],
    checkAllowed = async () => {},
  ) {
    let nowMs = 0;
    const source = async function* () {
      for (const [bytes, ms] of chunks) {
        if (partner === 'sends') nowMs += ms;
        yield Buffer.alloc(bytes);
      }
    };
    let taken = 0;
    for await (const _chunk of watchTransfer(source(), { partner, checkAllowed, clock: () => nowMs })) {
      if (partner === 'takes') nowMs += chunks[taken]?.[1] ?? 0;
      taken++;
    }
    return taken;
  }

  for (const partner of ['sends', 'takes'] as const) {
    test(`whose partner ${partner} less than 16 KiB a second is ended, after 30 s`, async () => {
      assert.equal(await carry(partner, Array(100).fill([20_000, 1_000])), 100);
      assert.equal(await carry(partner, Array(30).fill([1, 1_000])), 30);
      await assert.rejects(
        carry(partner, Array(40).fill([1, 1_000])),
        partner === 'sends'
          ? /^ServiceError: The list arrived slower than 16384 bytes a second\. Send it again, under the same key or a new one\.$/
          : /^ServiceError: The answer was read slower than 16384 bytes a second\. Request it again\.$/,
      );
    });

    test(`whose partner ${partner} has its key checked every 4 s, and ends when the key no longer holds`, async () => {
      let asked = 0;
      const checkAllowed = async () => {
        if (++asked === 3) throw new Error('the key is revoked');
      };
      await assert.rejects(carry(partner, Array(100).fill([100_000, 1_000]), checkAllowed), /the key is revoked/);
      asked = 10;
      assert.equal(await carry(partner, Array(9).fill([100_000, 1_000]), checkAllowed), 9);
      assert.equal(asked, 12);
    });
  }
});

test('a list that is sent faster than 32 MiB a second is read at that speed, a statement as fast as it is taken', async () => {
  const chunks = async function* () {
    for (let sent = 0; sent < 64; sent++) yield Buffer.alloc(2 ** 20);
  };
  const read = async (partner: 'sends' | 'takes') => {
    let nowMs = 0;
    const pause = async (ms: number) => {
      nowMs += ms;
    };
    let bytes = 0;
    for await (const chunk of watchTransfer(chunks(), { partner, checkAllowed: async () => {}, clock: () => nowMs, pause }))
      bytes += chunk.byteLength;
    return { bytes, nowMs };
  };
  assert.deepEqual(await read('sends'), { bytes: 2 ** 26, nowMs: 2_000 });
  assert.deepEqual(await read('takes'), { bytes: 2 ** 26, nowMs: 0 });
});
