import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { renewSignIn, type SignIn, signIn, signOut } from '../../operations/access/sign-in.ts';
import { requireOwnerMayAct } from '../../operations/audit/act-as-owner.ts';
import type { Database } from '../../store/database.ts';
import { UsageError } from '../terminal/options.ts';
import { formatTime, printFields, printJson, printOn, printText, terminalOutput } from '../terminal/output.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { tellUndone } from '../terminal/read-done.ts';
import { findSignedIn } from '../terminal/signed-in.ts';
import { openTokenFile, type TokenFile } from '../terminal/token-file.ts';
import { withDatabase, withoutOperator } from '../terminal/with-operator.ts';

interface JsonOption {
  readonly json?: boolean;
}

export function loginCommand(): ProgramCommand {
  return new ProgramCommand('login')
    .description('sign in on this machine with a one-time code, from a prompt or standard input')
    .option('--renew', 'renew the sign-in on this machine for 30 days from now, without a code')
    .option('--json', 'one JSON object, for programs')
    .action(withoutOperator('it signs in', login));
}

export function logoutCommand(): ProgramCommand {
  return new ProgramCommand('logout')
    .description('sign out on this machine')
    .option('--json', 'one JSON object, for programs')
    .action(withoutOperator('it signs out', logout));
}

export function whoamiCommand(): ProgramCommand {
  return new ProgramCommand('whoami')
    .description('show who is signed in on this machine, and the role')
    .option('--json', 'one JSON object, for programs')
    .action(withoutOperator('it shows who is signed in, and nothing else', whoami));
}

async function login({ renew, json }: JsonOption & { renew?: boolean }): Promise<void> {
  await withDatabase(async (database) => {
    const file = await openTokenFile(database);
    if (renew) {
      const { token } = (await findSignedIn(database, file)) ?? refuseToRenew();
      return keepSignIn(file, await renewSignIn(database, token, file.writePending), json);
    }
    const code = (await (process.stdin.isTTY ? askUnseen('One-time code: ') : text(process.stdin))).trim();
    if (code === '') throw new UsageError('Give the one-time code on standard input, such as: npx partner-impact login < FILE');
    // Read before the new token replaces it.
    const former = Promise.try(file.readToEnd);
    former.catch(() => {});
    keepSignIn(file, await signIn(database, code, file.writePending), json);
    const next = 'It ends by itself after 30 days, and its token is on this machine no longer.';
    await former.then((tokens) => endSignIns(database, tokens)).catch(tellUndone('The former sign-in was not ended', next));
  });
}

function keepSignIn(file: TokenFile, { operator, token, expiresAt }: SignIn, json: boolean | undefined): void {
  file.keep(token);
  const { operatorId: operator_id, name, role } = operator;
  if (json) printJson({ operator_id, name, role, expires_at: expiresAt, token_file: file.path });
  else printText(`Signed in as ${name} (${operator_id}), ${role}, until ${formatTime(expiresAt)}.\n`);
}

function refuseToRenew(): never {
  throw new UsageError('No operator is signed in on this machine. Sign in with a code: npx partner-impact login');
}

async function endSignIns(database: Database, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) await signOut(database, token);
}

/** The typed code is not echoed, and is never an argument of the process. */
async function askUnseen(question: string): Promise<string> {
  const terminal = terminalOutput();
  if (!terminal) throw new UsageError('There is no terminal to ask on. Give the one-time code on standard input.');
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  // From here on the terminal echoes nothing either.
  const prompt = createInterface({ input: process.stdin, output: unseen, terminal: true });
  printOn(terminal, question);
  const refuse = (cause: unknown): never => {
    throw new UsageError('No code was given.', { cause });
  };
  // Ctrl-C rejects the question; Ctrl-D ends it without an answer.
  const left = once(prompt, 'close').then(refuse);
  left.catch(() => {});
  try {
    return await Promise.race([prompt.question('').catch(refuse), left]);
  } finally {
    prompt.close();
    printOn(terminal, '\n');
  }
}

async function logout({ json }: JsonOption): Promise<void> {
  await withDatabase(async (database) => {
    const file = await openTokenFile(database);
    const tokens = file.readToEnd();
    await endSignIns(database, tokens);
    file.remove();
    const isSignedOut = tokens.length > 0;
    if (json) printJson({ signed_out: isSignedOut });
    else printText(isSignedOut ? 'Signed out.\n' : 'No operator was signed in.\n');
  });
}

async function whoami({ json }: JsonOption): Promise<void> {
  await withDatabase(async (database) => {
    const signedIn = await findSignedIn(database);
    if (!signedIn) {
      await requireOwnerMayAct(database.pool);
      if (json) return printJson({ operator_id: 'owner', name: null, role: 'admin', expires_at: null });
      printText(
        'No operator is signed in: commands act for the owner account, which may do everything except four-eyes actions.\n',
      );
      return;
    }
    const { operatorId: operator_id, name, role } = signedIn.operator;
    if (json) return printJson({ operator_id, name, role, expires_at: signedIn.expiresAt });
    printFields({ operator: operator_id, name, role, 'signed in until': formatTime(signedIn.expiresAt) });
  });
}
