// Makes a checkout runnable: installs the packages of the lock file when they are not there yet, and sees to Node 24.
// Runs on any Node from 20 on and before anything is installed, so it uses nothing but Node itself.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSdk } from './build-sdk.mjs';
import { explainUnwritable } from './make-build-folder.mjs';

const NODE_MAJOR = 24;
/**
 * Install scripts stay off: what two of the packages would do there, this file and the embedded database do themselves.
 * Messages of level `http` tell how far npm is; attempts on a dead network end after half a minute instead of more than one.
 */
const NPM_OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=http', '--fetch-retry-maxtimeout=15000'];

const REPORT_EVERY_MS = 5_000;
/** npm prints its whole usage after some errors. */
const PROBLEM_LINES_MAX = 15;
/** The codes of OpenSSL and of Node. */
const CERTIFICATE_PROBLEM = /npm (error|ERR!) code \S*(CERT|SIGNATURE)/;
const TRUST_THE_REGISTRY =
  'npm does not trust the certificate of the registry. Behind a proxy that reads TLS, set NODE_EXTRA_CA_CERTS to the file of its certificate authority';
const CHECK_THE_NETWORK =
  'Check the network (npm needs the registry, or a cache that holds everything) and the free space of the disk';
const PLATFORM = `${process.platform}-${process.arch}`;

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const STAMP = join('node_modules', '.prepared');
/**
 * A symbolic link whose target is the id of a process: made in one step, content included. While npm is at work it names
 * npm, which goes on when this process is killed.
 */
const LOCK = '.prepare.lock';
let lockOwner = process.pid;
const NODE_LINK = join('node_modules', '.bin', 'node');

const wanted = createHash('sha256').update(readFileSync('package-lock.json')).update(PLATFORM).digest('hex');
if (!isPrepared()) await prepare();
buildSdk();
if (process.env.npm_lifecycle_event === 'prestart') buildConsole();

/** Vite wants the Node that was just provided. The service works without a console, so it starts whatever comes of this. */
function buildConsole() {
  const node = existsSync(NODE_LINK) ? NODE_LINK : 'node';
  const { status } = spawnSync(node, [join('scripts', 'build-console.mjs')], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) say('The console could not be built, for the reason above. The service starts without it.');
}

function isPrepared() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted;
}

async function prepare() {
  await lock();
  try {
    if (isPrepared()) return;
    if (!isInstalled()) await install();
    linkWorkspaces();
    provideNode();
    writeFileSync(STAMP, wanted);
  } finally {
    unlock();
  }
}

/** True when npm's own record of `node_modules` names what the lock file names, as after an `npm ci` by hand. */
function isInstalled() {
  const record = join('node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const { packages: present } = JSON.parse(readFileSync(record, 'utf8'));
  const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  return Object.entries(locked).every(([path, entry]) => {
    if (!path.startsWith('node_modules/') || entry.link || (entry.optional && !isForThisPlatform(entry))) return true;
    return present[path]?.version === entry.version && present[path]?.integrity === entry.integrity;
  });
}

/** As `npm ci` does; a package of this repository that is new needs no other package to be installed again. */
function linkWorkspaces() {
  const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  for (const [path, { link, resolved }] of Object.entries(locked)) {
    if (!link || existsSync(path)) continue;
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(relative(dirname(path), resolved), path);
  }
}

function isForThisPlatform({ os = [process.platform], cpu = [process.arch], libc }) {
  const isThisLibrary =
    libc === undefined || libc.includes(process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl');
  return os.includes(process.platform) && cpu.includes(process.arch) && isThisLibrary;
}

async function install() {
  const packages = Object.keys(JSON.parse(readFileSync('package-lock.json', 'utf8')).packages).length - 1;
  say(`Installing the packages of the lock file (up to ${packages}, some 170 MB; only when they change) …`);
  const startedAt = Date.now();
  const { code, problems } = await runNpm(['ci', ...NPM_OPTIONS]);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  if (code === 0) return say(`Installed in ${seconds} s.`);
  fail(
    `${problems.slice(0, PROBLEM_LINES_MAX).join('\n')}\nThe packages could not be installed; npm gave up after ${seconds} s and says why above.\n` +
      `${problems.some((line) => CERTIFICATE_PROBLEM.test(line)) ? TRUST_THE_REGISTRY : CHECK_THE_NETWORK}, then start again.`,
  );
}

/** Runs the npm that started us, and says something every few seconds while it works. */
async function runNpm(words) {
  const npm = basename(process.env.npm_execpath ?? '') === 'npm-cli.js' ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const child = spawn(npm[0], [...npm.slice(1), ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const progress = watchProgress(child.stderr);
  const end = endWith(child);
  if (child.pid) passLockTo(child.pid);
  const code = await new Promise((resolve) =>
    child.on('error', (error) => fail(`npm could not be started: ${error.message}`)).on('close', resolve),
  );
  clearInterval(progress.timer);
  end();
  return { code, problems: progress.problems };
}

/** npm's messages of level `http` tell how far it is and whether the registry answers. */
function watchProgress(stream) {
  const startedAt = Date.now();
  const problems = [];
  let fetched = 0;
  let unreachable;
  createInterface({ input: stream }).on('line', (line) => {
    const failure = /fetch GET (\S+) attempt \d+ failed with (\S+)/.exec(line);
    if (failure) unreachable = `${new URL(failure[1]).host} was not reached (${failure[2]})`;
    else if (/http fetch GET 200/.test(line)) unreachable = undefined;
    if (/http fetch GET 200 \S+\.tgz/.test(line)) fetched += 1;
    if (/^npm (error|ERR!) \S/.test(line)) problems.push(line);
  });
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const state = unreachable
      ? `npm is waiting for the network: ${unreachable}. It gives up by itself after some attempts.`
      : `${fetched} packages fetched${fetched === 0 ? '; npm is at work on its cache, or waiting for the network' : ''}`;
    say(`… ${seconds} s: ${state}`);
  }, REPORT_EVERY_MS);
  return { timer, problems };
}

/** A signal that ends us ends npm as well: two of them at work in one folder would spoil it. */
function endWith(child) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const end = (signal) => {
    child.kill(signal);
    child.on('close', () => {
      unlock();
      process.exit(1);
    });
  };
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/**
 * `npm run` finds Node 24 as `node_modules/.bin/node`. npm 10 removes that link with the packages of other platforms.
 * Where the packaged Node cannot run (another C library), the link must not stand before a Node that can.
 */
function provideNode() {
  const packaged = join(`node-${PLATFORM}`, 'bin', 'node');
  if (isNewEnough(join('node_modules', packaged))) {
    if (!existsSync(NODE_LINK)) symlinkSync(join('..', packaged), NODE_LINK);
    return;
  }
  rmSync(NODE_LINK, { force: true });
  if (isNewEnough('node')) return;
  fail(
    `Node ${NODE_MAJOR} or later is needed. The packages bring none that runs on this machine (${PLATFORM}), ` +
      `and the one installed is ${process.version}: please install Node ${NODE_MAJOR} from https://nodejs.org and start again.`,
  );
}

function isNewEnough(node) {
  const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return Number.parseInt(stdout ?? '', 10) >= NODE_MAJOR;
}

/** Of several at once one installs and the others wait, then find everything done. */
async function lock() {
  for (let waitedMs = 0; !tryLock(); waitedMs += 200) {
    const owner = readOwner();
    if (owner !== undefined && !isAtWork(owner)) removeStaleLock(owner);
    else if (waitedMs % REPORT_EVERY_MS === 0)
      say(`Another process (${owner}) is installing the packages here; waiting for it …`);
    await sleep(200);
  }
}

function tryLock() {
  try {
    symlinkSync(String(process.pid), LOCK);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    return fail(`The packages cannot be installed. ${explainUnwritable(process.cwd(), error)}`);
  }
}

function readOwner(path = LOCK) {
  try {
    return Number(readlinkSync(path));
  } catch {
    return undefined;
  }
}

/** Since a restart of the machine the number may belong to another program. */
function isAtWork(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  const commandLine = `/proc/${pid}/cmdline`;
  return !existsSync(commandLine) || /prepare\.mjs|npm/.test(readFileSync(commandLine, 'utf8'));
}

/** Renamed first, so that the lock of somebody who was quicker is noticed and given back. */
function removeStaleLock(owner) {
  const moved = `${LOCK}.${process.pid}`;
  try {
    renameSync(LOCK, moved);
  } catch {
    return;
  }
  const found = readOwner(moved);
  rmSync(moved, { force: true });
  if (found !== owner) symlinkSync(String(found), LOCK);
}

function passLockTo(pid) {
  const next = `${LOCK}.${process.pid}`;
  symlinkSync(String(pid), next);
  renameSync(next, LOCK);
  lockOwner = pid;
}

function unlock() {
  if (readOwner() === lockOwner) rmSync(LOCK, { force: true });
}

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}

function fail(sentence) {
  say(sentence);
  unlock();
  process.exit(1);
}
