import { type ChildProcessWithoutNullStreams, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { exactJson } from '../../src/wire/exact-json.ts';

export const SAMPLES = join(import.meta.dirname, '../../docs/samples');
const EXAMPLES = join(import.meta.dirname, '../../examples');

/** The languages in which partners' programs run here. */
export type Language = 'ts' | 'py' | 'go' | 'php';
export const LANGUAGES: readonly Language[] = ['ts', 'py', 'go', 'php'];

const python = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']);

const go = spawnSync('go', ['version']);

const php = spawnSync('php', ['-r', 'exit(PHP_VERSION_ID >= 80000 && PHP_INT_SIZE === 8 && extension_loaded("curl") ? 0 : 1);']);

const MISSING: Readonly<Record<Language, string | false>> = {
  ts: false,
  py: python.status === 0 ? false : 'python3 (3.8 or later) is not on this machine',
  go: go.status === 0 ? false : 'go (1.18 or later) is not on this machine',
  php: php.status === 0 ? false : 'php (8.0 or later, with curl) is not on this machine',
};

/** For the options of a test: why it cannot run here, in words that its report shows. */
export function needsLanguage(language: Language): { skip: string | false } {
  return { skip: MISSING[language] };
}

const built = new Map<string, string>();

/** A program of `examples/` in Go, compiled once for all tests of the process. @returns Its path. */
export function buildGo(name: string): string {
  const known = built.get(name);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-go-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, name);
  execFileSync('go', ['build', '-o', program, `${name}.go`], { cwd: EXAMPLES });
  built.set(name, program);
  return program;
}

/** A changed copy of a program of `examples/` in Go, in a folder. @returns Its path. */
export function buildChangedGo(name: string, folder: string, change: (text: string) => string): string {
  const program = join(folder, name);
  writeFileSync(join(folder, `${name}.go`), change(readFileSync(join(EXAMPLES, `${name}.go`), 'utf8')));
  execFileSync('go', ['build', '-o', program, `${name}.go`], { cwd: folder });
  return program;
}

export function readSample(name: string): string {
  return readFileSync(join(SAMPLES, name), 'utf8');
}

export interface Intent {
  readonly partnerEventId: string;
  readonly idempotencyKey: string;
  readonly partnerOrderRef: string;
  readonly points: bigint;
  readonly calculationId?: string;
}

/** As the sample tells it: the status, then the transaction or the code. */
export type SampleOutcome = readonly [status: string, what: string];

export interface SampleRun {
  readonly language: Language;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly wasSent?: boolean;
  readonly withinSeconds?: number;
}

/** Each line of standard input is a run; each line of standard output is the number of a run with its outcome, or how it ended otherwise. */
const TYPESCRIPT = `
import { createInterface } from 'node:readline';
let loading;
/** Anew for each run and one after the other, because the sample reads its settings while it is loaded. */
function load(number, settings) {
  const load = () => {
    Object.assign(process.env, settings);
    return import('${SAMPLES}/confirm.ts?' + number);
  };
  return (loading = Promise.resolve(loading).then(load, load));
}
async function run([number, settings, intent, wasSent, withinSeconds]) {
  const { confirmContribution } = await load(number, settings);
  intent.points = BigInt(intent.points);
  const outcome = await confirmContribution(intent, { wasSent, withinMs: withinSeconds * 1000 });
  return [outcome.status, outcome.transactionId ?? outcome.code];
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const given = JSON.parse(line);
  run(given).then((outcome) => ({ outcome }), ({ stack }) => ({ failure: stack }))
    .then((end) => console.log(JSON.stringify({ number: given[0], ...end })));
});
`;

const PYTHON = `
import http.client, json, os, random, signal, sys, traceback, urllib.parse
sys.path.insert(0, "${SAMPLES}")
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    if os.fork() > 0:
        continue
    number, settings, given, was_sent, within_seconds = json.loads(line)
    os.environ.update(settings)
    intent = {"partner_event_id": given["partnerEventId"], "idempotency_key": given["idempotencyKey"],
              "partner_order_ref": given["partnerOrderRef"], "points": int(given["points"]),
              "calculation_id": given.get("calculationId")}
    try:
        from confirm import confirm_contribution
        end = {"outcome": confirm_contribution(intent, was_sent, within_seconds)}
    except BaseException:
        end = {"failure": traceback.format_exc()}
    os.write(1, (json.dumps({"number": number, **end}) + "\\n").encode())
    os._exit(0)
`;

const PROGRAMS: Record<Exclude<Language, 'go' | 'php'>, readonly [program: string, ...args: string[]]> = {
  ts: [process.execPath, '--input-type=module', '-e', TYPESCRIPT],
  py: ['python3', '-c', PYTHON],
};

interface SampleEnd {
  readonly number: number;
  readonly outcome?: SampleOutcome;
  readonly failure?: string;
}

/** A process that runs a sample again and again, because starting one takes longer than most runs. */
class SampleRunner {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (end: SampleEnd) => void>();
  #runs = 0;

  constructor(language: keyof typeof PROGRAMS) {
    const [program, ...args] = PROGRAMS[language];
    this.#child = spawn(program, args, { env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } });
    this.#child.stderr.pipe(process.stderr);
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const end: SampleEnd = JSON.parse(line);
      this.#waiting.get(end.number)?.(end);
    });
    this.#child.once('exit', (code) => {
      for (const [number, tell] of this.#waiting) tell({ number, failure: `its process ended with ${code}` });
    });
  }

  async run(intent: Intent, { baseUrl, apiKey, wasSent = false, withinSeconds = 60 }: SampleRun): Promise<SampleOutcome> {
    const number = this.#runs++;
    const settings = { BASE_URL: baseUrl, API_KEY: apiKey };
    const given = [number, settings, { ...intent, points: String(intent.points) }, wasSent, withinSeconds];
    this.#hold(true);
    const { outcome, failure } = await new Promise<SampleEnd>((resolve) => {
      this.#waiting.set(number, resolve);
      this.#child.stdin.write(`${JSON.stringify(given)}\n`);
    });
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) this.#hold(false);
    if (outcome === undefined) throw new Error(`The sample ended otherwise:\n${failure}`);
    return outcome;
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }

  /** Only during a run may it keep this process from ending. */
  #hold(isHeld: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const handle of [this.#child, stdin as Socket, stdout as Socket, stderr as Socket])
      isHeld ? handle.ref() : handle.unref();
  }
}

/** examples/confirm.go or confirm.php in a process of its own, which starts in no time. */
function confirmByExample(intent: Intent, run: SampleRun, signal?: AbortSignal): Promise<SampleOutcome> {
  const { language, baseUrl, apiKey, wasSent = false, withinSeconds = 60 } = run;
  const { partnerEventId, idempotencyKey, partnerOrderRef, points, calculationId } = intent;
  const names = { partner_event_id: partnerEventId, idempotency_key: idempotencyKey, partner_order_ref: partnerOrderRef };
  const args = [
    exactJson({ ...names, points, ...(calculationId && { calculation_id: calculationId }) }),
    ...(wasSent ? ['was-sent'] : []),
  ];
  const env = { ...process.env, BASE_URL: baseUrl, API_KEY: apiKey, WITHIN_SECONDS: String(withinSeconds) };
  const [program, ...before] = language === 'go' ? [buildGo('confirm')] : ['php', join(EXAMPLES, 'confirm.php')];
  return new Promise((resolve, reject) => {
    execFile(
      program,
      [...before, ...args],
      { env, ...(signal && { signal, killSignal: 'SIGKILL' }) },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`The example ended otherwise:\n${stderr}`, { cause: error }));
        else resolve(JSON.parse(stdout));
      },
    );
  });
}

const runners = new Map<Language, SampleRunner>();

/**
 * Runs docs/samples/confirm.ts, confirm.py, examples/confirm.go or confirm.php, as a partner's job would.
 *
 * @param signal Kills it: it then runs in a process of its own.
 */
export async function confirmBySample(intent: Intent, run: SampleRun, signal?: AbortSignal): Promise<SampleOutcome> {
  const { language } = run;
  if (language === 'go' || language === 'php') return confirmByExample(intent, run, signal);
  if (!signal) {
    const runner = runners.get(language) ?? new SampleRunner(language);
    runners.set(language, runner);
    return runner.run(intent, run);
  }
  const runner = new SampleRunner(language);
  signal.addEventListener('abort', () => runner.end());
  return runner.run(intent, run);
}

/** What a program printed and how it ended. */
export interface ProgramEnd {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What runs a program by its ending, and the folder that has it. */
const RUNS: Readonly<Record<string, readonly [program: string, folder: string]>> = {
  ts: [process.execPath, SAMPLES],
  py: ['python3', SAMPLES],
  php: ['php', EXAMPLES],
};

/** A changed copy of a program, in a folder. @returns Its name for `runSample`. */
export function copySample(name: string, folder: string, change: (text: string) => string): string {
  const [, where] = RUNS[name.split('.').at(-1) ?? ''] as (typeof RUNS)[string];
  const copy = join(folder, name);
  writeFileSync(copy, change(readFileSync(join(where, name), 'utf8')));
  return relative(where, copy);
}

/** Runs a program of docs/samples, or in PHP of examples, with these words, in a folder of its own for what it reads and writes. */
export function runSample(name: string, words: readonly string[], { baseUrl, apiKey, folder }: ProgramRun): Promise<ProgramEnd> {
  const [program, where] = RUNS[name.split('.').at(-1) ?? ''] as (typeof RUNS)[string];
  const env = { ...process.env, BASE_URL: baseUrl, API_KEY: apiKey };
  return new Promise((resolve) => {
    execFile(program, [join(where, name), ...words], { env, cwd: folder }, (error, stdout, stderr) =>
      resolve({ status: error ? (typeof error.code === 'number' ? error.code : -1) : 0, stdout, stderr }),
    );
  });
}

interface ProgramRun {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly folder: string;
}
