import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Served } from './check-statements.ts';
import type { CommandOutcome, Person } from './operators.ts';

export interface CommandChecks {
  readonly owner: Person;
  readonly served: readonly Served[];
  readonly partnerIds: readonly string[];
  readonly dataDirectory: string;
  readonly report: (violation: string, kind?: string) => void;
}

/** What the verifying commands say of everything that the quarter left. @returns Their findings, for people. */
export async function checkByCommands(checks: CommandChecks): Promise<Record<string, string>> {
  const { owner, report } = checks;
  const figures: Record<string, string> = {};
  for (const words of [
    ['settlement', 'verify'],
    ['adjustment', 'verify'],
    ['audit', 'verify'],
  ]) {
    const name = words.join(' ');
    const outcome = await owner.run([...words, '--json']);
    const { ok, problems, fault, last, ...counts } = readJson<Record<string, unknown>>(outcome);
    if (outcome.exitCode !== 0 || ok !== true)
      report(`${name}: ${JSON.stringify(problems ?? fault)?.slice(0, 600)} ${outcome.stderr.slice(0, 300)}`);
    figures[name] = Object.entries(counts)
      .map(([noun, count]) => `${count} ${noun}`)
      .join(', ');
  }
  for (const statement of checks.served) await checkFile(checks, statement);
  figures['statement verify'] = `${checks.served.length} files, each with the chain of its partner`;
  return figures;
}

async function checkFile(
  { owner, partnerIds, dataDirectory, report }: CommandChecks,
  { partner, settlement, bytes }: Served,
): Promise<void> {
  const file = join(dataDirectory, `${settlement.settlement_id}.csv`);
  writeFileSync(file, bytes);
  const words = ['--file', file, '--partner', partnerIds[partner] as string, '--settlement', settlement.settlement_id, '--json'];
  const outcome = await owner.run(['statement', 'verify', ...words]);
  const { ok } = readJson<{ ok?: boolean }>(outcome);
  if (outcome.exitCode !== 0 || ok !== true)
    report(`statement verify: ${outcome.stdout.slice(0, 500)} ${outcome.stderr.slice(0, 300)}`, 'statement verify');
}

interface JobRun {
  readonly run_no: number;
  readonly ended_at: string | null;
  readonly outcome: string | null;
  readonly error: string | null;
}

const JOBS = ['close-settlements', 'expire-pending', 'remove-old-events', 'remove-reconciliations', 'prune-job-runs'];

/**
 * Whatever did not succeed was done again, and then did. A move of the time past the end of a lease takes it from a process that lives.
 *
 * @returns Runs by outcome.
 */
export async function checkJobs({ owner, report }: Pick<CommandChecks, 'owner' | 'report'>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const job of JOBS) {
    const runs = await owner.command<JobRun[]>(['job', 'history', '--job', job, '--limit', '1000']);
    const lastSuccess = Math.max(...runs.filter(({ outcome }) => outcome === 'succeeded').map(({ run_no }) => run_no));
    if (!Number.isFinite(lastSuccess)) report(`the job ${job} never succeeded`);
    for (const { run_no, outcome, error } of runs) {
      const name = outcome ?? 'under way';
      counts[name] = (counts[name] ?? 0) + 1;
      if (outcome !== null && outcome !== 'succeeded' && run_no > lastSuccess)
        report(`the job ${job} was ${outcome}, and not repeated: ${error}`);
    }
  }
  return counts;
}

function readJson<Value>({ stdout }: CommandOutcome): Partial<Value> {
  try {
    return JSON.parse(stdout) as Value;
  } catch {
    return {};
  }
}
