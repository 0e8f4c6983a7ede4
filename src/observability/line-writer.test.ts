import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LineWriter } from './line-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'line-writer-'));
after(() => rmSync(folder, { recursive: true }));
const LINE = `${'م'.repeat(500)}\n`;

test('everything is written in order, and flush says when', async () => {
  const path = join(folder, 'file');
  const file = openSync(path, 'a');
  const writer = new LineWriter(file);
  const lines = Array.from({ length: 2_000 }, (_, line) => `${line} ${LINE}`);
  for (const line of lines) writer.write(line);
  assert.equal(await writer.flush(60_000), true);
  assert.equal(readFileSync(path, 'utf8'), lines.join(''));
  assert.equal(writer.isWriting, false);
  writer.write('last\n');
  assert.equal(await writer.flush(60_000), true);
  closeSync(file);
});

test('a reader that stalls costs bounded memory, is told of as stalled, and gets what was kept and a line about the rest when it reads again', async () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  // Both ends, so that neither waits for the other.
  const pipe = openSync(path, 'r+');
  const writer = new LineWriter(pipe, { waitingMax: 1_000_000, tellDropped: (lines) => `${lines} dropped\n` });
  for (let line = 0; line < 10_000; line++) writer.write(LINE);
  const { dropped } = writer;
  assert.ok(dropped > 5_000, `${dropped} lines`);
  assert.deepEqual([await writer.flush(1), writer.isWriting], [false, true]);
  const bytes = Buffer.alloc(65_536);
  const written = writer.flush(60_000);
  let read = '';
  let isDone = false;
  void written.then(() => {
    isDone = true;
  });
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  for (let isEmpty = false; !(isDone && isEmpty); ) {
    try {
      read += bytes.toString('latin1', 0, readSync(reader, bytes));
      isEmpty = false;
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
      isEmpty = true;
    }
    await new Promise(setImmediate);
  }
  closeSync(reader);
  assert.equal(await written, true);
  assert.ok(read.length >= 1_000_000 && read.length < 4_000_000, `${read.length} bytes of 10 MB`);
  const lines = read.trimEnd().split('\n');
  assert.equal(lines.pop(), `${dropped} dropped`);
  assert.equal(lines.length, 10_000 - dropped);
  assert.equal(writer.dropped, dropped);
  closeSync(pipe);
});

test('lines that a full disk refuses are counted once, and the next ones tell of all', async () => {
  const file = openSync('/dev/full', 'a');
  const told: number[] = [];
  const tellDropped = (lines: number) => {
    told.push(lines);
    return 'dropped\n';
  };
  const writer = new LineWriter(file, { tellDropped });
  for (let round = 1; round <= 3; round++) {
    writer.write(LINE + LINE);
    assert.equal(await writer.flush(60_000), true);
    assert.deepEqual([writer.dropped, told.at(-1)], [2 * round, round === 1 ? undefined : 2 * (round - 1)]);
  }
  closeSync(file);
});

test('a reader that has gone is no error', async () => {
  const file = openSync(join(folder, 'file'), 'r');
  const writer = new LineWriter(file);
  writer.write(LINE);
  assert.equal(await writer.flush(60_000), true);
  assert.equal(writer.dropped, 1);
  writer.write(LINE);
  writer.writeRest();
  closeSync(file);
});
