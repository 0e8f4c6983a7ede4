import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ChainedStatement, chainValue, findChainBreak } from './statement-chain.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A partner's statements as they are made, one after the other. */
function chainOf(files: readonly string[]): ChainedStatement[] {
  const chain: ChainedStatement[] = [];
  for (const file of files) {
    const previous = chain.at(-1);
    const csvSha256 = sha256(file);
    chain.push({
      sequence: BigInt(chain.length + 1),
      csvSha256,
      previousCsvSha256: previous?.csvSha256 ?? null,
      chainSha256: chainValue(previous?.chainSha256 ?? null, csvSha256),
    });
  }
  return chain;
}

test('settlements, section 2, Statement: a chain value is the SHA-256 of two hexadecimal texts', () => {
  const first = sha256('0'.repeat(64) + sha256('a'));
  assert.equal(chainValue(null, sha256('a')), first);
  assert.equal(chainValue(first, sha256('b')), sha256(first + sha256('b')));
});

test('settlements, section 2, Statement: statements as they were made form a chain, from the first or from any later one', () => {
  const chain = chainOf(['a', 'b', 'c', 'd']);
  assert.equal(findChainBreak([]), undefined);
  assert.equal(findChainBreak(chain), undefined);
  assert.equal(findChainBreak(chain.slice(2)), undefined);
});

test('settlements, section 2, Statement: one that is missing, repeated or out of place breaks the chain', () => {
  const [a, b, c] = chainOf(['a', 'b', 'c']) as [ChainedStatement, ChainedStatement, ChainedStatement];
  assert.deepEqual([findChainBreak([a, c])?.code, findChainBreak([a, c])?.sequence], ['sequence_gap', 3n]);
  assert.equal(findChainBreak([a, a, b])?.code, 'sequence_gap');
  assert.equal(findChainBreak([a, b, { ...c, previousCsvSha256: a.csvSha256 }])?.code, 'other_previous');
  assert.equal(findChainBreak([{ ...a, previousCsvSha256: b.csvSha256 }])?.code, 'other_previous');
});

test('settlements, section 2, Statement: a changed file is found at its own place, and one changed with its neighbour as well', () => {
  const files = fc.array(fc.string(), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(files, fc.nat(), (texts, drawn) => {
      const at = drawn % texts.length;
      const chain = chainOf(texts);
      const csvSha256 = sha256('forged');
      const forged = chain.map((statement, n) => (n === at ? { ...statement, csvSha256 } : statement));
      assert.deepEqual([findChainBreak(forged)?.sequence, findChainBreak(forged)?.code], [BigInt(at + 1), 'other_chain']);
      const withNeighbour = forged.map((statement, n) =>
        n === at + 1 ? { ...statement, previousCsvSha256: csvSha256 } : statement,
      );
      assert.equal(findChainBreak(withNeighbour)?.sequence, BigInt(at + 1));
      const rehashed = chainOf(texts.with(at, 'forged')).slice(0, at + 1);
      if (at + 1 < texts.length) assert.equal(findChainBreak([...rehashed, ...chain.slice(at + 1)])?.sequence, BigInt(at + 2));
    }),
  );
});
