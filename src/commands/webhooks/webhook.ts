import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { explainBusyPort } from '../../service/ports.ts';
import { openReceiver, type ReceivedEvent } from '../../webhooks/receiver/development-receiver.ts';
import { escapeForTerminal } from '../../webhooks/receiver/escape-for-terminal.ts';
import { explainSignature } from '../../webhooks/receiver/explain-signature.ts';
import { verdictInWords, verdictToWire } from '../../webhooks/receiver/present-verdict.ts';
import { readHeaders } from '../../webhooks/receiver/read-headers.ts';
import { readPort, readStatus, readUnixSeconds, UsageError } from '../terminal/options.ts';
import { formatTime, printJson, printNotice, printText } from '../terminal/output.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { stopSignal } from '../terminal/stop-signal.ts';
import { withoutOperator } from '../terminal/with-operator.ts';

interface ListenOptions {
  readonly port: number;
  readonly secret?: string;
  readonly secretFile?: string;
  readonly status: number;
  readonly json?: boolean;
}

interface VerifyOptions {
  readonly secretFile: string;
  readonly headers: string;
  readonly body: string;
  readonly now?: number;
  readonly json?: boolean;
}

export function webhookCommand(): ProgramCommand {
  const webhook = new ProgramCommand('webhook').description('tools for developers of a receiver');
  webhook
    .command('listen')
    .description('receive events on this machine and show each with its verification, until SIGINT or SIGTERM')
    .option('--port <port>', 'port on 127.0.0.1; 0 selects a free one', readPort, 0)
    .option('--secret-file <file>', "file with the endpoint's secret (or set WEBHOOK_SECRET)")
    .addOption(
      new Option('--secret <secret>', 'the secret itself; visible to everyone who lists the processes').conflicts('secretFile'),
    )
    .option('--status <status>', 'HTTP status of the answers', readStatus, 200)
    .option('--json', 'one JSON object a line, for programs')
    .action(withoutOperator('it uses no database', listen));
  webhook
    .command('verify')
    .description('verify the signature of a stored delivery, and report exactly which part differs')
    .requiredOption('--secret-file <file>', "file with the endpoint's secret")
    .requiredOption('--headers <file>', 'headers of the delivery: "Name: value" lines as curl prints them, or a JSON object')
    .requiredOption('--body <file>', 'body of the delivery, byte for byte')
    .option('--now <seconds>', 'time of receipt, Unix seconds (default: now)', readUnixSeconds)
    .option('--json', 'one JSON object, for programs')
    .action(withoutOperator('it uses no database', verify));
  return webhook;
}

async function listen({ port, status, json, ...sources }: ListenOptions): Promise<void> {
  const stopped = Promise.race([stopSignal(), nobodyReads()]);
  const secret = findSecret(sources);
  const onEvent = json ? printEventAsJson : printEvent;
  const receiver = await openReceiver({ port, secret, status, onEvent, onRefusal: printNotice }).catch(
    explainBusyPort('--port ', port),
  );
  printNotice(`Receiving events at ${receiver.url} until Ctrl-C.`);
  if (secret === undefined)
    printNotice('Signatures are not verified without a secret: --secret-file FILE, or the variable WEBHOOK_SECRET.');
  try {
    await stopped;
  } finally {
    await receiver.close();
  }
}

/** Resolves when the program that reads the lines has ended, such as `head`; rejects when they cannot be written. */
function nobodyReads(): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.on('error', (failure: NodeJS.ErrnoException) => (failure.code === 'EPIPE' ? resolve() : reject(failure)));
  });
}

function findSecret({ secret, secretFile }: Pick<ListenOptions, 'secret' | 'secretFile'>): string | undefined {
  if (secretFile !== undefined) return readSecretFile(secretFile);
  if (secret !== undefined) return trimSecret(secret, '--secret');
  const variable = process.env['WEBHOOK_SECRET'] ?? '';
  return variable === '' ? undefined : trimSecret(variable, 'WEBHOOK_SECRET');
}

function readSecretFile(path: string): string {
  return trimSecret(readInput(path).toString('utf8'), path);
}

/** Editors end a file with a line end, which is not part of the secret. */
function trimSecret(text: string, source: string): string {
  const secret = text.trim();
  if (/^\S+$/.test(secret)) return secret;
  throw new UsageError(`${source} must hold one secret, whsec_…, and nothing else.`);
}

function printEvent(event: ReceivedEvent): void {
  const { receivedAt, verdict, eventType = '-', sequence = '-', eventId = '-', attempt = '-', isRepeated } = event;
  const parts = [
    formatTime(receivedAt),
    escapeForTerminal(eventType),
    `sequence ${sequence}`,
    escapeForTerminal(eventId),
    `attempt ${escapeForTerminal(attempt)}`,
    ...(isRepeated ? ['repeated'] : []),
    verdict.status.replaceAll('_', ' '),
  ];
  printText(`${parts.join('  ')}\n`);
  if (verdict.status !== 'valid' && verdict.status !== 'not_checked') printText(`    ${verdictInWords(verdict)}\n`);
}

/** The body stays text: a number in it may be larger than JavaScript's exact integers. */
function printEventAsJson({ receivedAt, verdict, isRepeated, headers, body }: ReceivedEvent): void {
  const line = {
    received_at: receivedAt.toISOString(),
    verdict: verdictToWire(verdict),
    repeated: isRepeated,
    headers,
    body: body.toString('utf8'),
  };
  printJson(line);
}

function verify({ secretFile, headers, body, now, json }: VerifyOptions): void {
  const secret = readSecretFile(secretFile);
  const verdict = explainSignature({
    secret,
    headers: readHeadersFile(headers),
    body: readInput(body),
    nowSeconds: now ?? Math.floor(Date.now() / 1000),
  });
  const text = json ? JSON.stringify(verdictToWire(verdict)) : verdictInWords(verdict);
  // A person who writes headers by hand may have put the secret in place of the signature.
  printText(`${text.replaceAll(secret, 'whsec_…')}\n`);
  if (verdict.status !== 'valid') process.exitCode = 1;
}

function readHeadersFile(path: string): Record<string, string> {
  const text = readInput(path).toString('utf8');
  try {
    return readHeaders(text);
  } catch (failure) {
    if (failure instanceof SyntaxError) throw new UsageError(`${path} does not hold headers: ${failure.message}.`);
    throw failure;
  }
}

function readInput(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (failure) {
    throw new UsageError(`${path} cannot be read (${(failure as NodeJS.ErrnoException).code}).`, { cause: failure });
  }
}
