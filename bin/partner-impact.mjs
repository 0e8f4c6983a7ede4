#!/usr/bin/env -S node --max-semi-space-size=32 --heap-growing-percent=50 --max-inlined-bytecode-size=1000 --max-inlined-bytecode-size-cumulative=4000
// The command `partner-impact`. Any Node may run this file; the program itself needs 24, which the packages bring along.
// Node's own settings let a heap that serves requests grow half as large again, and compile the code of a request in smaller parts, which
// is slower.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
// Whole: a name that an older Node lacks would end this file before it can find a newer one.
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR = 24;
const LAUNCHED = 'PARTNER_IMPACT_LAUNCHED';
/** Node otherwise keeps an asynchronous context for each callback, which the service does not use. A Node that lacks this flag refuses to start. */
const SERVE_FLAG = '--no-async-context-frame';
/** `serve` may ask once for another start, which finds everything compiled: `src/service/processes/restart-compiled.ts`. */
const RESTARTABLE = 'PARTNER_IMPACT_RESTARTABLE';
const RESTART_CODE = 75;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
/** Why a program never runs here: its file, or the loader that it names, is missing, or nobody may run it. */
const NEVER_RUNS = ['ENOENT', 'EACCES'];

if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR) await runProgram();
else runUnder(findPackagedNode());

async function runProgram() {
  if (!existsSync(new URL('../node_modules', import.meta.url))) refuse('The packages are not installed yet.');
  if (isServe() && !process.execArgv.includes(SERVE_FLAG)) restart();
  // Node compiles and strips types once, and keeps what it has made: without it a start takes twice as long.
  if (process.env[LAUNCHED] !== undefined) endWithLauncher();
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
  await import('../src/main.ts');
}

function isServe() {
  return process.argv[2] === 'serve';
}

/** This file again in the same process, with the flag. Where that is not possible, the service runs without it. */
function restart() {
  if (!process.allowedNodeEnvironmentFlags.has(SERVE_FLAG) || process.channel !== undefined) return;
  try {
    process.execve(process.execPath, [process.execPath, ...process.execArgv, SERVE_FLAG, ...process.argv.slice(1)], {
      ...process.env,
      [RESTARTABLE]: '1',
    });
  } catch {
    // Windows has no such call.
  }
}

/** Whoever kills the process that was started, the program is killed with it: it would keep its ports, unseen. */
function endWithLauncher() {
  delete process.env[LAUNCHED];
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}

/** This file again, under another Node, with the same words, files, signals and end. */
function runUnder(node, env = isServe() ? { [RESTARTABLE]: '1' } : {}) {
  const flags = isServe() ? [...process.execArgv, SERVE_FLAG] : process.execArgv;
  const child = spawn(node, [...flags, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env, [LAUNCHED]: '1' },
  });
  let isStopped = false;
  const forward = (signal) => {
    isStopped = true;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  child.on('error', explainFailedStart);
  child.on('exit', (code, signal) => {
    for (const name of SIGNALS) process.off(name, forward);
    if (code === RESTART_CODE && !isStopped) return runUnder(node, {});
    // As a shell says it. The first process of a container is ended by no signal of its own.
    process.exitCode = signal === null ? (code === RESTART_CODE ? 0 : code) : 128 + constants.signals[signal];
    if (signal !== null) process.kill(process.pid, signal);
  });
}

/** Only the code 2 keeps systemd from another start: a machine that lacks processes or open files has some again later. */
function explainFailedStart({ code, message }) {
  if (NEVER_RUNS.includes(code)) refuse(`The packaged Node ${NODE_MAJOR} does not run on this machine (${message}).`);
  process.stderr.write(`The packaged Node ${NODE_MAJOR} could not be started now (${message}). Try again.\n`);
  process.exit(1);
}

function findPackagedNode() {
  const name = `node-${process.platform}-${process.arch}`;
  try {
    const node = join(dirname(module.createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', 'node');
    if (existsSync(node)) return node;
  } catch {
    // Answered below: whether the package or its file is missing makes no difference to the person.
  }
  return refuse(
    `partner-impact runs on Node ${NODE_MAJOR} or later, and this is ${process.version} without the package ${name}.`,
  );
}

function refuse(reason) {
  process.stderr.write(
    `${reason} Run \`npm ci --ignore-scripts\` in the folder of partner-impact, or install Node ${NODE_MAJOR}.\n`,
  );
  process.exit(2);
}
