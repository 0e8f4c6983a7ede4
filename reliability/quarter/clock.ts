import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where Debian and its like keep libfaketime, by architecture. */
const LIBRARY_FOLDERS = '/usr/lib';
const LIBRARY = 'faketime/libfaketimeMT.so.1';
/** A process reads the file again in every second of its time. */
const CACHE_DURATION = '0';
const ARRIVAL_MS = 1_200;

/** @returns The library's path; `undefined` where it is not installed. */
export function findClockLibrary(): string | undefined {
  const folders = existsSync(LIBRARY_FOLDERS) ? readdirSync(LIBRARY_FOLDERS) : [];
  return folders.map((folder) => join(LIBRARY_FOLDERS, folder, LIBRARY)).find((path) => existsSync(path));
}

/**
 * What a process is started with so that its time of day is what the file says. What it measures and waits for stays real: the
 * monotonic clock goes on as it does.
 */
export function clockEnvironment(library: string, file: string): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: library,
    DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: CACHE_DURATION,
  };
}

/** The time of day of all processes, this one too, that were started with {@link clockEnvironment}. It is only ever moved on. */
export class SimulatedClock {
  readonly #file: string;
  /** Real time of day, less `performance.now()`. */
  readonly #realMinusMonotonic: number;
  #aheadSeconds = 0;
  /** Before the move that is under way. */
  #wasAheadSeconds = 0;

  /**
   * @param file Is written at once, for processes to come.
   * @param realNow The real time of day, as is `beginsAt`: in milliseconds since 1970.
   */
  constructor(file: string, { realNow, beginsAt }: { readonly realNow: number; readonly beginsAt: number }) {
    this.#file = file;
    this.#realMinusMonotonic = realNow - performance.now();
    this.#aheadSeconds = this.#wasAheadSeconds = Math.ceil((beginsAt - realNow) / 1_000);
    this.#write();
  }

  /** In milliseconds since 1970. */
  now(): number {
    return this.#real() + this.#aheadSeconds * 1_000;
  }

  /** What a process may still take for now, while a move is under way. */
  earliestNow(): number {
    return this.#real() + this.#wasAheadSeconds * 1_000;
  }

  /** Moves on to an instant or up to a second later, and resolves when every process has arrived. Does nothing for one that is past. */
  async moveTo(instant: number): Promise<void> {
    if (instant <= this.now()) return;
    this.#aheadSeconds = Math.ceil((instant - this.#real()) / 1_000);
    this.#write();
    await sleep(ARRIVAL_MS);
    this.#wasAheadSeconds = this.#aheadSeconds;
  }

  #real(): number {
    return this.#realMinusMonotonic + performance.now();
  }

  /** Renamed into place: no process ever reads half a number. */
  #write(): void {
    const sign = this.#aheadSeconds < 0 ? '-' : '+';
    writeFileSync(`${this.#file}.draft`, `${sign}${Math.abs(this.#aheadSeconds)}s\n`);
    renameSync(`${this.#file}.draft`, this.#file);
  }
}
