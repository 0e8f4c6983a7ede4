#!/usr/bin/env node
/** The command `partner-impact-sdk`, for those who integrate in any language. It needs no database and no sources of the service. */
import { BrokenAnswerError, ConfigurationError, NoAnswerError, ServiceError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { UsageError } from './arguments.ts';
import { printLine, printProgress } from './output.ts';
import { REHEARSE_HELP, rehearse } from './rehearse.ts';
import { WEBHOOK_HELP, webhook } from './webhook.ts';

const HELP = `Usage: partner-impact-sdk COMMAND

  rehearse        send every kind of event, and every fault, to your receiver, and show what is left before production
  webhook verify  say which part of the signature of a stored delivery differs
  webhook listen  receive events on this machine, and show each with its verification
  --version       print the version of the package

partner-impact-sdk COMMAND --help has the options.`;

const COMMANDS = { rehearse: [rehearse, REHEARSE_HELP], webhook: [webhook, WEBHOOK_HELP] } as const;

/** The exit code of a shell for a program that SIGPIPE ended (128 + 13). */
const CLOSED_PIPE = 141;

for (const stream of [process.stdout, process.stderr]) stream.on('error', dropUnread);
const exitCode = await run(process.argv.slice(2));
process.exitCode = exitCode === 0 ? (process.exitCode ?? 0) : exitCode;

/** A reader such as `head` may leave before the last line: the command finishes its work. */
function dropUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exitCode ||= CLOSED_PIPE;
}

async function run([name = '--help', ...words]: readonly string[]): Promise<number> {
  if (name === '--version') return say(VERSION);
  if (name === '--help' || name === 'help') return say(HELP);
  const command = Object.entries(COMMANDS).find(([each]) => each === name)?.[1];
  if (!command) return fail(`There is no command ${JSON.stringify(name)}.\n\n${HELP}`, 2);
  const [start, help] = command;
  if (words.includes('--help')) return say(help);
  return start(words).catch(explain);
}

function explain(error: unknown): number {
  if (error instanceof UsageError || error instanceof ConfigurationError) return fail(error.message, 2);
  if (error instanceof ServiceError) return fail(`Answered ${error.status}, ${error.message}`, isOfCaller(error) ? 2 : 1);
  if (error instanceof BrokenAnswerError)
    return fail(`${process.env['BASE_URL']} answers otherwise than the service does. ${error.message}`, 1);
  if (error instanceof NoAnswerError)
    return fail(`${process.env['BASE_URL']} does not answer. Check the address, and that the service runs. ${error.message}`, 1);
  return fail(error instanceof Error ? error.message : String(error), 1);
}

/** An answer that the same words get again. */
function isOfCaller({ status }: ServiceError): boolean {
  return status < 500 && status !== 408 && status !== 429;
}

function say(text: string): number {
  printLine(text);
  return 0;
}

function fail(text: string, exitCode: number): number {
  printProgress(text);
  return exitCode;
}
