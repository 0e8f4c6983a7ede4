import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { ROOT } from './document-blocks.ts';

const KINDS = 'pi_sandbox|whsec|ptn|wep|dlv|evt|txn|opr|calc|stl|batch|project|adj|rec';
/** How the documents cut an id short, and a whole one. */
const CUT_ID = new RegExp(`\\b(${KINDS})_[\\w.]*…[\\w.]*`, 'g');
const WHOLE_ID = new RegExp(`\\b(?:${KINDS})_[\\w+/-]{8,}(?:\\.\\w+)?=?`, 'g');

/** A program that runs until Ctrl-C. */
export interface Running {
  output(): string;
  /** Waits for words that it prints; fails when it ends without them. */
  until(words: RegExp): Promise<void>;
}

/**
 * A reader's terminals: what is exported stays, files lie in a folder of their own, and a program that runs until Ctrl-C has a terminal
 * for itself. An id that a document cuts short stands for the last one of its kind that was shown.
 */
export class Terminal {
  readonly folder = mkdtempSync(join(tmpdir(), 'partner-impact-reader-'));
  readonly #running = new Map<string, ChildProcess>();
  readonly #shown = new Map<string, string>();
  /** A whole id of a document, and the one of this run that stands for it. */
  readonly #stands = new Map<string, string>();
  #env: NodeJS.ProcessEnv;
  #ports = new Map<string, string>();

  constructor(env: Record<string, string>) {
    this.#env = { ...process.env, DATA_DIR: join(this.folder, 'var'), XDG_CONFIG_HOME: join(this.folder, 'home'), ...env };
    delete this.#env['NODE_TEST_CONTEXT'];
    this.#installCommands();
    after(async () => {
      for (const name of this.#running.keys()) await this.interrupt(name);
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** `npx` without npm's own seconds of start, and curl that fails on what is no success. */
  #installCommands(): void {
    const commands = join(this.folder, 'commands');
    mkdirSync(commands);
    writeFileSync(
      join(commands, 'npx'),
      `#!/bin/sh
program='${ROOT}/bin/partner-impact.mjs'
[ "$1" = partner-impact-sdk ] && program='${ROOT}/sdk/dist/command/main.js'
shift
exec '${process.execPath}' "$program" "$@"
`,
    );
    chmodSync(join(commands, 'npx'), 0o755);
    // A reader in the folder of a checkout.
    symlinkSync(join(ROOT, 'bin'), join(this.folder, 'bin'));
    writeFileSync(join(this.folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
    this.#env['CURL_HOME'] = this.folder;
    this.#env['PATH'] = [commands, join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  export(name: string, value: string): void {
    this.#env[name] = value;
  }

  /** Another port instead of one that the documents name, and that another program of this machine may hold. */
  async replacePort(documented: string, port?: string): Promise<void> {
    this.#ports.set(documented, port ?? String(await freePort()));
  }

  /** The last one of a kind that was shown, such as `ptn` or `whsec`. */
  lastShown(kind: string): string {
    const shown = this.#shown.get(kind);
    if (shown === undefined) throw new Error(`Nothing was shown that begins with ${kind}_.`);
    return shown;
  }

  /** What a reader types for a text of a document. */
  toType(text: string): string {
    const filled = text.replace(CUT_ID, (_, kind: string) => this.lastShown(kind));
    const mapped = filled.replace(WHOLE_ID, (id) => this.#stands.get(id) ?? id);
    // Not within a word: an id may contain the digits of a port.
    return [...this.#ports].reduce(
      (typed, [documented, port]) => typed.replaceAll(new RegExp(`\\b${documented}\\b`, 'g'), port),
      mapped,
    );
  }

  /**
   * Runs a block as it stands; an id that is cut short is filled in when its line is reached.
   *
   * @returns What it printed.
   * @throws Error When any of its commands fails.
   */
  async run(block: string): Promise<string> {
    let printed = '';
    for (const part of block.split(/^(?=export .*…)/m)) printed += await this.#runPart(this.toType(part));
    return printed;
  }

  #runPart(typed: string): Promise<string> {
    const exported = join(this.folder, 'exported');
    const script = `set -eo pipefail\n${typed}\nenv -0 > '${exported}'\n`;
    return new Promise((resolve, reject) => {
      const options = { cwd: this.folder, env: this.#env, maxBuffer: 2 ** 24 };
      const child = execFile('bash', ['-c', script], options, (error, stdout, stderr) => {
        if (error) return reject(new Error(`${typed}\n${stdout}${stderr}`));
        const entries = readFileSync(exported, 'utf8').split('\0').filter(Boolean);
        this.#env = Object.fromEntries(
          entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
        );
        this.#note(stdout);
        resolve(stdout);
      });
      child.stdin?.end();
    });
  }

  /** Starts what runs until Ctrl-C in a terminal of its own, and waits for words that it prints. */
  async start(block: string, words: RegExp, { cwd = this.folder } = {}): Promise<Running> {
    const [command = block] = block.split(/ --?\w|\n/);
    const name = command.replace(/^(?:npx partner-impact(?:-sdk)?|node bin\/partner-impact\.mjs) /, '');
    await this.interrupt(name);
    const child = spawn('bash', ['-c', `exec ${this.toType(block).trim()}`], { cwd, env: this.#env });
    this.#running.set(name, child);
    let written = '';
    const listeners = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        written += chunk;
        this.#note(String(chunk));
        for (const listener of listeners) listener();
      });
    const until = (wanted: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!wanted.test(written)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        child.once('exit', (code) => reject(new Error(`It ended with ${code} before ${wanted}:\n${block}\n${written}`)));
        look();
      });
    await until(words);
    return { output: () => written, until };
  }

  /** Ctrl-C. */
  async interrupt(name: string): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  }

  /** Learns which id of this run stands for one of a document, from the same place of both. */
  align(documented: string, actual: string): void {
    const ids = (text: string) => text.match(WHOLE_ID) ?? [];
    for (const [index, id] of ids(documented).entries()) {
      const stands = ids(actual)[index];
      if (stands !== undefined && kindOf(stands) === kindOf(id)) this.#stands.set(id, stands);
    }
  }

  #note(printed: string): void {
    for (const id of printed.match(WHOLE_ID) ?? []) this.#shown.set(kindOf(id), id);
  }
}

function kindOf(id: string): string {
  return id.startsWith('pi_sandbox_') ? 'pi_sandbox' : id.slice(0, id.indexOf('_'));
}
