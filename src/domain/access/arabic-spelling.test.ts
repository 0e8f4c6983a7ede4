import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOneSpelling, SPELLINGS } from './arabic-spelling.ts';

test('what persons write for each other has one spelling', () => {
  for (const [one, other] of [
    ['مؤسّسة الأمل', 'موسسه الامل'],
    ['إحسان', 'احسان'],
    ['آفاق', 'افاق'],
    ['هدى', 'هدي'],
    ['شـــركة', 'شركه'],
    ['متجر ٢٤', 'متجر 24'],
    ['ا\u0654حمد', 'أحمد'],
  ] as const)
    assert.equal(inOneSpelling(one), inOneSpelling(other));
});

test('other letters and other scripts stay', () => {
  for (const text of ['', 'Souq %_\\ 24', 'ﷺ', 'é', 'سوق', '👩‍🌾']) assert.equal(inOneSpelling(text), text);
  assert.notEqual(inOneSpelling('سوق'), inOneSpelling('صوق'));
});

test('the texts for the database hold the same pairs', () => {
  const [from, to] = [[...SPELLINGS.from], [...SPELLINGS.to]];
  assert.equal(new Set(from).size, from.length);
  for (const [index, character] of from.entries()) assert.equal(inOneSpelling(character), to[index] ?? '');
});
