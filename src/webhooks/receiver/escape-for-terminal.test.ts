import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeForTerminal } from './escape-for-terminal.ts';

test('identifiers, event types and signatures are shown as they are', () => {
  for (const text of ['evt_01JTEST0000000000000000001', 'impact.transaction.confirmed', `v1=${'0a'.repeat(32)}`, '1'])
    assert.equal(escapeForTerminal(text), text);
});

test('anything else stands in quotation marks', () => {
  const shown = [
    ['', '""'],
    ['a b', '"a b"'],
    ['"', '"\\""'],
    ['\u001b[2J', '"\\u001b[2J"'],
    ['\u009b2J', '"\\u009b2J"'],
    ['\u007f', '"\\u007f"'],
    ['a\r\nb', '"a\\r\\nb"'],
    ['\u202eabc', '"\\u202eabc"'],
    ['شجرة', '"\\u0634\\u062c\\u0631\\u0629"'],
  ];
  for (const [text, expected] of shown) assert.equal(escapeForTerminal(text as string), expected);
});

test('no text gives a character that a terminal would act on, nor more than a screenful', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
      const shown = escapeForTerminal(text);
      assert.match(shown, /^[ -~…]*$/);
      assert.ok(shown.length <= 1_300);
    }),
  );
});
