import { type Config, readConfig } from '../../config.ts';
import type { Actor, Role } from '../../domain/access/role.ts';
import { getPartnerNamed } from '../../operations/access/manage-partner.ts';
import { requireAuditKeys } from '../../operations/audit/require-audit-keys.ts';
import { requireRole } from '../../operations/with-role.ts';
import { connectStore } from '../../service/open-database.ts';
import type { Database } from '../../store/database.ts';
import { currentActor } from './actor.ts';
import { breakGlassReason } from './break-glass.ts';
import { UsageError } from './options.ts';
import { printProgress } from './output.ts';
import type { DeclaredAction } from './program-command.ts';

/** The context of an operator's command: the database of the running service, or of the next one, and who gives the command. */
export interface OperatorContext {
  readonly database: Database;
  readonly config: Config;
  readonly actor: Actor;
}

/**
 * A command for operators with at least this role. For anybody else nothing runs, and nothing is asked or printed.
 *
 * @param leastRole `viewer` for a command that only reads; otherwise the role of the operation that the command calls.
 */
export function withOperator<Given extends readonly unknown[]>(
  leastRole: Role,
  act: (context: OperatorContext, ...given: Given) => Promise<void>,
): DeclaredAction {
  const run = (...given: readonly unknown[]) =>
    asOperator(leastRole, async (context) => {
      await resolvePartner(context.database, given.at(-2) as OfPartner);
      await act(context, ...(given as Given));
    });
  return Object.assign(run, { access: { leastRole } });
}

interface OfPartner {
  partner?: string;
}

/** Every command about a partner checks that the partner exists: `--partner` takes the id or the name, and the command gets the id. */
async function resolvePartner({ pool }: Database, options: OfPartner): Promise<void> {
  if (options.partner !== undefined) options.partner = (await getPartnerNamed(pool, options.partner)).partnerId;
}

/** The part of a command that needs an operator with at least this role, when the rest needs none. */
export function asOperator(leastRole: Role, act: (context: OperatorContext) => Promise<void>): Promise<void> {
  return withDatabase(async (database, config) => {
    // A command that only reads helps to find out what is wrong with the keys.
    if (leastRole !== 'viewer') await requireAuditKeys(database);
    const actor = await currentActor(database);
    requireRole(actor, leastRole);
    await act({ database, config, actor });
  });
}

/**
 * A command that every account that can start the program may give.
 *
 * @param openBecause Why it needs no operator.
 * @param mayNeedOperator Whether a part of it is {@link asOperator}; the rest calls {@link refuseBreakGlass} itself.
 */
export function withoutOperator<Given extends readonly unknown[]>(
  openBecause: string,
  act: (...given: Given) => Promise<void> | void,
  { mayNeedOperator = false } = {},
): DeclaredAction {
  const run = (...given: readonly unknown[]) => {
    if (!mayNeedOperator) refuseBreakGlass();
    return act(...(given as Given));
  };
  return Object.assign(run, { access: { openBecause } });
}

/** @throws UsageError Where the option is given to a command that acts for nobody: no entry would tell of it. */
export function refuseBreakGlass(): void {
  if (breakGlassReason() !== undefined)
    throw new UsageError('This command acts for nobody, so --break-glass changes nothing: leave it out.');
}

/** Opens the database for one command. */
export async function withDatabase(use: (database: Database, config: Config) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const store = await connectStore(config, { onProgress: printProgress });
  try {
    await use(store.database, config);
  } finally {
    await store.close();
  }
}
