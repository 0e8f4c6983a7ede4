import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonArrayError, splitJsonArray } from './split-json-array.ts';

function split(pieces: readonly string[], characters = 1_000): string[] {
  const splitter = splitJsonArray(characters);
  const elements = pieces.flatMap((piece) => splitter.read(piece));
  splitter.end();
  return elements;
}

const failure = (pieces: readonly string[], characters?: number): string => {
  try {
    return `elements: ${split(pieces, characters)}`;
  } catch (error) {
    assert.ok(error instanceof JsonArrayError);
    return `${error.code} ${error.elementNo}`;
  }
};

test('settlements, section 2, Reconciliation: an array is cut into the source texts of its elements', () => {
  assert.deepEqual(split([' [ {"a":[1,2]}, "x,]\\"y\\\\" ,9223372036854775807] \n']), [
    ' {"a":[1,2]}',
    ' "x,]\\"y\\\\" ',
    '9223372036854775807',
  ]);
  assert.deepEqual(split(['[]']), []);
  assert.deepEqual(split(['[ \n ]']), []);
});

test('settlements, section 2, Reconciliation: an element that is missing or no JSON is an element all the same', () => {
  assert.deepEqual(split(['[1,,2]']), ['1', '', '2']);
  assert.deepEqual(split(['[1,]']), ['1', '']);
  assert.deepEqual(split(['[,]']), ['', '']);
  assert.deepEqual(split(['[nonsense,{"a":1}]']), ['nonsense', '{"a":1}']);
});

test('settlements, section 2, Reconciliation: what is no array, or not a whole one, is refused', () => {
  for (const text of ['', ' ', '{}', '1', 'null', 'x[]']) assert.equal(failure([text]), 'not_an_array 0', text);
  assert.equal(failure(['[']), 'not_ended 0');
  assert.equal(failure(['[{"a":1},{"b"']), 'not_ended 1');
  assert.equal(failure(['["a]']), 'not_ended 0');
  assert.equal(failure(['[1]', ' ', 'x']), 'text_after_end 1');
  assert.equal(failure(['[1],[2]']), 'text_after_end 1');
});

test('settlements, section 2, Reconciliation: an element that does not end in time is refused while it comes', () => {
  assert.equal(failure(['[1,"', 'x'.repeat(60), 'x'.repeat(60)], 100), 'element_too_long 2');
  assert.equal(failure(['[1,"', 'x'.repeat(60), 'x"]'], 100), `elements: 1,"${'x'.repeat(61)}"`);
});

test('settlements, section 2, Reconciliation: every array is cut as JSON has it, wherever its text is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ maxDepth: 3 })),
      fc.nat({ max: 4 }),
      fc.array(fc.nat({ max: 500 })),
      (values, indent, cuts) => {
        const text = JSON.stringify(values, null, indent);
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((one, other) => one - other), text.length];
        const pieces = places.slice(1).map((end, n) => text.slice(places[n], end));
        assert.deepEqual(
          split(pieces, 100_000).map((element) => JSON.parse(element)),
          JSON.parse(text),
        );
      },
    ),
    { numRuns: 500 },
  );
});
