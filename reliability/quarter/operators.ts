import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Actor, Role } from '../../src/domain/access/role.ts';
import { authenticateOperator } from '../../src/operations/access/sign-in.ts';
import type { Database } from '../../src/store/database.ts';
import { DAY_MS } from './calendar.ts';
import type { SimulatedClock } from './clock.ts';

const MAIN = join(import.meta.dirname, '../../bin/partner-impact.mjs');
/** After so long a sign-in ends. */
const SIGN_IN_DAYS = 30;

export interface CommandOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where commands are given: the environment of the service, under its clock. */
export interface CommandPlace {
  readonly environment: NodeJS.ProcessEnv;
  readonly dataDirectory: string;
  readonly clock: Pick<SimulatedClock, 'now'>;
}

/** A person who gives commands, with a settings folder of their own. Without a sign-in it is the owner of the machine. */
export class Person {
  readonly name: string;
  readonly #place: CommandPlace;
  readonly #settings: string;
  #signedInAt: number | undefined;
  #operatorId = '';

  constructor(name: string, place: CommandPlace) {
    this.name = name;
    this.#place = place;
    this.#settings = join(place.dataDirectory, 'people', name);
    mkdirSync(this.#settings, { recursive: true, mode: 0o700 });
  }

  /** `partner-impact …` in a process of its own. */
  async run(words: readonly string[], input = ''): Promise<CommandOutcome> {
    const { environment, dataDirectory } = this.#place;
    const env = { ...environment, DATA_DIR: dataDirectory, XDG_CONFIG_HOME: this.#settings };
    const child = spawn(process.execPath, [MAIN, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { exitCode: child.exitCode ?? 1, stdout, stderr };
  }

  /** @throws Error When the command fails. @returns Its JSON. */
  async command<Value>(words: readonly string[], input?: string): Promise<Value> {
    const { exitCode, stdout, stderr } = await this.run([...words, '--json'], input);
    if (exitCode !== 0)
      throw new Error(`${this.name}: ${words.join(' ')} ended with ${exitCode}: ${stderr.slice(-1_500)}${stdout.slice(-500)}`);
    return JSON.parse(stdout) as Value;
  }

  /** Is made an operator by somebody who may, and signs in with the code. */
  async enrol(role: Role, by: Person): Promise<void> {
    const person = ['--name', this.name, '--email', `${this.name}@example.org`];
    const made = await by.command<SignInCode>(['operator', 'create', ...person, '--role', role]);
    this.#operatorId = made.operator_id;
    await this.#signIn(made.sign_in_code);
  }

  /** Once the sign-in has ended by the clock: a new code, and a new sign-in. @returns Whether it had. */
  async renew(by: Person): Promise<boolean> {
    if (this.#signedInAt === undefined || this.#place.clock.now() < this.#signedInAt + SIGN_IN_DAYS * DAY_MS) return false;
    const { exitCode, stderr } = await this.run(['whoami']);
    if (exitCode === 0 || !stderr.includes('has ended'))
      throw new Error(`The sign-in of ${this.name} did not end in ${SIGN_IN_DAYS} days.`);
    const made = await by.command<SignInCode>(['operator', 'reset-sign-in', '--operator', this.#operatorId, '--yes']);
    await this.#signIn(made.sign_in_code);
    return true;
  }

  async #signIn(code: string): Promise<void> {
    await this.command(['login'], `${code}\n`);
    this.#signedInAt = this.#place.clock.now();
  }

  /** With the role of this moment, by the token that the sign-in left. */
  async actor(database: Database): Promise<Actor> {
    const folder = join(this.#settings, 'partner-impact');
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.token'));
    return (await authenticateOperator(database, readFileSync(join(folder, file), 'utf8').trim())).actor;
  }
}

interface SignInCode {
  readonly operator_id: string;
  readonly sign_in_code: string;
}

export interface Operators {
  /** Gives what no operator is needed for. */
  readonly owner: Person;
  readonly operator: Person;
  readonly approver: Person;
  readonly admin: Person;
}

/** The owner of the sandbox makes everybody: two whom one admin has made are not two people for a week. */
export async function createOperators(place: CommandPlace): Promise<Operators> {
  const owner = new Person('owner', place);
  const admin = new Person('Amal', place);
  await admin.enrol('admin', owner);
  const operator = new Person('Omar', place);
  await operator.enrol('operator', owner);
  const approver = new Person('Aisha', place);
  await approver.enrol('approver', owner);
  return { owner, operator, approver, admin };
}

/** @returns How many sign-ins had ended, and were made anew. */
export async function renewSignIns({ owner, operator, approver, admin }: Operators): Promise<number> {
  const renewed = [await admin.renew(owner), await operator.renew(owner), await approver.renew(owner)];
  return renewed.filter(Boolean).length;
}
