import { Command, Option } from 'commander';
import type { Role } from '../../domain/access/role.ts';
import { readLimit } from './options.ts';

/**
 * Who may give a command: an operator with at least a role; or every account that can start the program, for a reason that the command
 * states.
 */
export type Access = { readonly leastRole: Role } | { readonly openBecause: string };

/**
 * The action of a command with its least role: `withOperator` and `withoutOperator` create it. It takes the arguments that commander
 * gives to an action: the arguments, the options, the command.
 */
// biome-ignore lint/suspicious/noExplicitAny: commander knows the options as any too
export type DeclaredAction = ((...given: any[]) => Promise<void> | void) & { readonly access: Access };

/** A command of this program. It takes only an action with a declared role, so that no command is open by mistake. */
export class ProgramCommand extends Command {
  #access: Access | undefined;

  /** `undefined` for a command that only has subcommands. */
  get access(): Access | undefined {
    return this.#access;
  }

  override createCommand(name?: string): ProgramCommand {
    return new ProgramCommand(name);
  }

  /** The options of a list. */
  paged(limit = 50): this {
    return this.option('--limit <n>', 'records in a page, 1 to 1000', readLimit, limit)
      .option('--after <cursor>', 'show the next page, by the cursor at the end of the page before')
      .option('--json', 'one JSON array, for programs');
  }

  /** Accepts an option by its former name too, which the help does not show. */
  formerly(former: string, now: string): this {
    const option = this.options.find(({ long }) => long === `--${now}`);
    if (option === undefined) throw new Error(`${this.name()} has no --${now}.`);
    this.addOption(new Option(`--${former} <value>`).hideHelp());
    return this.on(`option:${former}`, (value: string) =>
      this.setOptionValueWithSource(option.attributeName(), option.parseArg ? option.parseArg(value, undefined) : value, 'cli'),
    );
  }

  override action(act: DeclaredAction): this {
    if (act.access === undefined) throw new Error(`${this.name()} declares no least role.`);
    this.#access = act.access;
    if ('leastRole' in act.access) this.addHelpText('after', `\nLeast role: ${act.access.leastRole}`);
    return super.action(act);
  }
}
