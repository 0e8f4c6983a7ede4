import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  checkLine,
  escapeHidden,
  escapeHiddenInLines,
  isLine,
  isText,
  lineForm,
  textForm,
  whyRefused,
} from './single-line-text.ts';

/** Every bidirectional control character of Unicode. */
const BIDIRECTIONAL = ['\u061c', '\u200e', '\u200f', ...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'];
const CONTROL = ['\u0000', '\u0007', '\t', '\r', '\u001b', '\u007f', '\u009b', '\u0085', '\u2028', '\u2029'];
const UNSEEN = ['\u00ad', '\u200b', '\u2060', '\ufeff', '\u3164', '\u{e0041}', '\ufff9', '\ud800'];
const SEEN = [
  'شجرة',
  'أُبلغ عن الطلب مرتين.',
  'می\u200cخواهم',
  '٣ نقاط، ٪',
  'Zoë',
  '木',
  '👩\u200d🌾',
  '❤\ufe0f',
  '\u0600١٢',
  '\u06dd',
];

describe('a line', () => {
  test('has Arabic, Persian and emoji as they are written', () => {
    for (const text of SEEN) {
      assert.equal(isLine(text, 200), true, JSON.stringify(text));
      assert.equal(isText(`${text}\n${text}`, 200), true);
      assert.equal(escapeHidden(text), text);
      assert.equal(lineForm(text, 200), 'a line of 1 to 200 characters');
    }
  });

  test('has no control character, no bidirectional one and none that nobody sees; the form names it and its place', () => {
    for (const hidden of [...BIDIRECTIONAL, ...CONTROL, ...UNSEEN]) {
      const text = `شجرة${hidden}a`;
      assert.equal(isLine(text, 200), false, JSON.stringify(hidden));
      assert.equal(isText(text, 200), false, JSON.stringify(hidden));
      const name = (hidden.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
      for (const form of [lineForm, textForm])
        assert.match(form(text, 200), new RegExp(`bidirectional control characters .*; character 5 is U\\+${name}$`));
      assert.match(escapeHidden(text), /^شجرة(?:\\u[0-9a-f]{4}){1,2}a$/);
    }
  });

  test('is as long as its characters are many, of however many UTF-16 units each is', () => {
    assert.deepEqual(
      [200, 201].map((count) => isLine('🌳'.repeat(count), 200)),
      [true, false],
    );
    assert.deepEqual(
      [100, 101].map((count) => isText('🌳\n'.repeat(count), 200)),
      [true, false],
    );
    assert.match(lineForm('🌳🌳\u0007', 200), /; character 3 is U\+0007$/);
  });

  test('is not blank, not longer than it may be, and has no end of a line, which a text has', () => {
    for (const text of ['', ' ', 'x'.repeat(201), '\u3000']) assert.equal(isLine(text, 200), false);
    assert.equal(isLine('a\nb', 200), false);
    assert.equal(isText('a\nb', 200), true);
    assert.equal(isText('\n', 200), false);
  });
});

test('what is shown does nothing to a terminal, reads back as what it was, and keeps what is seen', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      const shown = escapeHidden(text);
      assert.equal(shown.search(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u), -1);
      assert.equal(shown, escapeHidden(shown));
      const read = shown.replace(/\\u([0-9a-f]{4})/g, (_all, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
      if (!text.includes('\\u')) assert.equal(read, text);
      assert.equal(escapeHiddenInLines(`${text}\n`), `${escapeHiddenInLines(text)}\n`);
    }),
  );
});

test('the problem of a line names its field and the form; what is refused is too long, blank, or has characters that nobody sees', () => {
  const message = 'reason must be a line of 1 to 5 characters.';
  assert.deepEqual(checkLine('reason', 'too long', 5), { field: 'reason', code: 'wrong_form', message });
  assert.equal(checkLine('reason', 'short', 5), false);
  assert.deepEqual(
    ['too long', ' ', 'a\u202e'].map((text) => whyRefused(text, 5)),
    ['wrong_length', 'wrong_length', 'invalid_characters'],
  );
});
