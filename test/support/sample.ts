import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const SAMPLES = join(import.meta.dirname, '../../docs/samples');

/** The languages in which the samples run here. Go is compared with the document alone. */
export type Language = 'ts' | 'py';
export const LANGUAGES: readonly Language[] = ['ts', 'py'];

const python = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']);

/** For the options of a test: why it cannot run here, in words that its report shows. */
export function needsLanguage(language: Language): { skip: string | false } {
  return { skip: language === 'ts' || python.status === 0 ? false : 'python3 (3.8 or later) is not on this machine' };
}

export function readSample(name: string): string {
  return readFileSync(join(SAMPLES, name), 'utf8');
}

export interface Intent {
  readonly partnerEventId: string;
  readonly idempotencyKey: string;
  readonly partnerOrderRef: string;
  readonly points: bigint;
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

const TYPESCRIPT = `
import { confirmContribution } from '${SAMPLES}/confirm.ts';
const [intent, wasSent, withinSeconds] = JSON.parse(process.argv[1]);
intent.points = BigInt(intent.points);
const outcome = await confirmContribution(intent, { wasSent, withinMs: withinSeconds * 1000 });
console.log(JSON.stringify([outcome.status, outcome.transactionId ?? outcome.code]));
`;

const PYTHON = `
import json, sys
sys.path.insert(0, "${SAMPLES}")
from confirm import confirm_contribution
given, was_sent, within_seconds = json.loads(sys.argv[1])
intent = {"partner_event_id": given["partnerEventId"], "idempotency_key": given["idempotencyKey"],
          "partner_order_ref": given["partnerOrderRef"], "points": int(given["points"])}
print(json.dumps(confirm_contribution(intent, was_sent, within_seconds)))
`;

/** Runs the file docs/samples/confirm.ts or confirm.py in a process of its own, as a partner's job would. */
export function confirmBySample(intent: Intent, run: SampleRun, signal?: AbortSignal): Promise<SampleOutcome> {
  const { language, baseUrl, apiKey, wasSent = false, withinSeconds = 60 } = run;
  const argument = JSON.stringify([{ ...intent, points: String(intent.points) }, wasSent, withinSeconds]);
  const node = ['--input-type=module', '-e', TYPESCRIPT, argument];
  const [program, args] = language === 'ts' ? [process.execPath, node] : ['python3', ['-c', PYTHON, argument]];
  const env = { ...process.env, BASE_URL: baseUrl, API_KEY: apiKey, PYTHONDONTWRITEBYTECODE: '1' };
  return new Promise((resolve, reject) => {
    execFile(program, args, { env, ...(signal && { signal, killSignal: 'SIGKILL' }) }, (error, stdout, stderr) => {
      if (error) reject(new Error(`The sample ended otherwise:\n${stderr}`, { cause: error }));
      else resolve(JSON.parse(stdout));
    });
  });
}
