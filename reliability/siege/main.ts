/**
 * Attacks the service in every known way, one after the other, beside an honest partner of whom nothing may be refused.
 *
 *     npm run siege -- [--only NAME] [--seconds 8] [--seed N] [--repository PATH]
 *
 * Each attack meets a service that was just started, has confirmed ten thousand contributions and given a hundred pages of their
 * events. The honest partner sends fifty look-ups and confirmations a second in an open loop, and two reports a second: settlements,
 * events, a statement and a list. It does so alone first, then beside the attack.
 * Latency counts from the moment at which a request was due. The attacker has an address of its own on this machine, and where the
 * attack needs one a valid key of another partner with the rates that a partner has by default.
 *
 *   --only        the attacks whose name contains this
 *   --seconds     how long each attack lasts (default 8), longer where it takes longer to gather; the honest partner is measured alone for half as long
 *   --seed        repeats the choices of an earlier run; printed at the start
 *   --repository  attacks the service of another checkout
 *
 * Limits: nothing of the honest partner refused; its p99 at most 100 ms above the quiet one; the memory of the service at most 30 % and
 * 32 MB above that before the attack within 12 s of its end, and never above the 400 MB at which `docs/operating.md` alerts. Exit code 1
 * when one is missed. Attacker, honest partner, service and PostgreSQL share this machine: a run is void when 1 % of the honest requests
 * went out more than 50 ms late. The column `others` has the cores that somebody else used meanwhile.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { Installation } from '../harness/installation.ts';
import { freshSeed, seeded } from '../harness/random.ts';
import { progress, Violations } from '../harness/report.ts';
import type { Attack } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { checkFigures } from './check-figures.ts';
import { measureAttack, type SiegeTools } from './measure-attack.ts';
import { type CommandedPartners, partnersByCommand } from './partners.ts';
import { printTable, type SiegeRow } from './table.ts';

const STOP_WITHIN_MS = 15_000;

const given = readArguments(import.meta.filename, {
  only: { type: 'string', default: '' },
  seconds: { type: 'string', default: '8' },
  seed: { type: 'string', default: String(freshSeed()) },
  repository: { type: 'string', default: join(import.meta.dirname, '../..') },
});
const seconds = readWhole('seconds', given.seconds, { min: 2, max: 600 });
const seed = readWhole('seed', given.seed, { min: 0, max: 2 ** 31 - 1 });
const attacks = ATTACKS.filter(({ name }) => name.includes(given.only));
if (attacks.length === 0)
  throw new Error(`No attack is called "${given.only}". There is ${ATTACKS.map(({ name }) => name).join(', ')}.`);

process.exitCode = await main();

async function main(): Promise<number> {
  progress(`Seed ${seed}: ${attacks.length} attacks of ${seconds} s`);
  const violations = new Violations();
  const { repository } = given;
  const installation = await Installation.start({ repository, discardsOutput: true, env: { LOG_LEVEL: 'info' } });
  try {
    const partners = partnersByCommand(repository, installation);
    const tools = { installation, partners, honest: await partners.make(20), random: seeded(seed), seconds };
    const rows: SiegeRow[] = [];
    for (const attack of attacks) rows.push(await besiege(attack, tools, violations));
    printTable(rows);
    return violations.printVerdict(`${rows.length} attacks of ${seconds} s`);
  } finally {
    await installation.close();
  }
}

async function besiege(
  attack: Attack,
  tools: SiegeTools & { readonly partners: CommandedPartners },
  { report }: Violations,
): Promise<SiegeRow> {
  progress(`${attack.name}: ${attack.sends}`);
  await restart(tools.installation);
  await tools.partners.warmUp();
  const figures = await measureAttack(attack, tools);
  const wrong = checkFigures(figures, tools.installation);
  for (const finding of wrong) report(`${attack.name}: ${finding}`);
  return { attack, figures, wrong };
}

/** Every attack meets a service whose memory knows nothing of the one before; one that does not stop any more is killed. */
async function restart(installation: Installation): Promise<void> {
  const stopped = installation.stopService();
  const isStopped = await Promise.race([stopped.then(() => true), sleep(STOP_WITHIN_MS, false, { ref: false })]);
  if (!isStopped) await installation.killService();
  await installation.startService();
}
