/** Architecture, "The two commands", and reliability, "process, database": the default database under kills and races. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { attachOrStart } from '../../src/embedded-postgres/attach-or-start.ts';
import { findBinaries } from '../../src/embedded-postgres/binaries.ts';
import { EMBEDDED_PROBLEM, type EmbeddedServer, openEmbedded } from '../../src/embedded-postgres/open-embedded.ts';
import { isOrphanedSession, listProcesses, readText } from '../../src/embedded-postgres/processes.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import {
  AS_NOBODY,
  BINARIES,
  clearAway,
  copyInstallation,
  end,
  type Holder,
  hold,
  holdInContainer,
  type Installation,
  isRoot,
  makeDataDirectory,
  makeFolder,
  needs,
  query,
} from '../support/postgres/embedded.ts';

after(clearAway);

const NOBODY = 65534;

/** What another program sees of the socket: the word of the system, or that it was let in. */
const CONNECT = `require('node:net').connect(process.argv[1] + '/.s.PGSQL.5432')
  .on('connect', () => { console.log('let in'); process.exit(); }).on('error', ({ code }) => process.stdout.write(code))`;

/** A container is played by a user namespace that root makes. */
const needsContainer = isRoot ? needs('namespaces') : needs('root');

function open(dataDirectory: string): Promise<EmbeddedServer> {
  return openEmbedded(dataDirectory, BINARIES === '' ? {} : { binaries: BINARIES });
}

function postmasterPid(dataDirectory: string): number {
  return Number.parseInt(readFileSync(join(dataDirectory, 'postgres/postmaster.pid'), 'utf8'), 10);
}

/** The rights with which the copy was made let every user reach it; made once, because Node alone has 100 MB. */
const openInstallation = (() => {
  let copy: Installation | undefined;
  return () => (copy ??= copyInstallation());
})();

describe('a first start', () => {
  test('makes a durable UTF-8 database that only its owner reaches, by a socket and no port', async () => {
    const dataDirectory = join(makeFolder(), 'closed', 'var');
    const server = await open(dataDirectory);
    const settings = await query(
      server.socketDirectory,
      `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit',
         'listen_addresses', 'server_encoding', 'data_checksums', 'max_connections')`,
    );
    assert.deepEqual(Object.fromEntries(settings.map(({ name, setting }) => [name, setting])), {
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '',
      max_connections: '200',
      server_encoding: 'UTF8',
      synchronous_commit: 'on',
    });
    const [database] = await query(server.socketDirectory, `select datcollate from pg_database where datname = 'template1'`);
    assert.equal(database?.['datcollate'], 'C.UTF-8');
    assert.equal(server.isOwner, true);
    assert.equal(statSync(dataDirectory).mode & 0o777, 0o700);
    assert.equal(statSync(join(server.socketDirectory, '.s.PGSQL.5432')).mode & 0o777, 0o700);
    await server.stop();
    assert.equal(existsSync(join(dataDirectory, 'postgres/postmaster.pid')), false, 'shut down, not killed');
  });

  test('puts the server into a process group of its own, so that Ctrl-C reaches the service alone', async () => {
    const dataDirectory = await makeDataDirectory();
    const server = await open(dataDirectory);
    const pid = postmasterPid(dataDirectory);
    const [, , group] = readText(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
    assert.equal(Number(group), pid);
    await server.stop();
  });

  test('is not made by a process that may only open a database: it writes nothing, and says which folder has none', async () => {
    const folder = makeFolder();
    for (const dataDirectory of [folder, join(folder, 'var')])
      await assert.rejects(openEmbedded(dataDirectory, { mayCreate: false }), {
        code: EMBEDDED_PROBLEM,
        message: new RegExp(`^There is no database in ${dataDirectory}\\. .*DATA_DIR or DATABASE_URL`),
      });
    assert.deepEqual(readdirSync(folder), []);
    const made = await makeDataDirectory();
    await (await openEmbedded(made, { mayCreate: false, ...(BINARIES !== '' && { binaries: BINARIES }) })).stop();
  });

  for (const [whose, pid] of [
    ['had begun', 4_194_999],
    ['in a container had begun, where this process has its number', process.pid],
  ] as const) {
    test(`removes what a first start that was killed ${whose}`, async () => {
      const dataDirectory = makeFolder();
      const abandoned = join(dataDirectory, `postgres.new-${pid}-left-behind`);
      mkdirSync(join(abandoned, 'base'), { recursive: true });
      const server = await open(dataDirectory);
      assert.equal(existsSync(abandoned), false);
      await server.stop();
    });
  }

  if (BINARIES === '') {
    test('links its libraries although one that was killed has left a link under the number of this process', () => {
      const [complete, begun] = [join(makeFolder(), 'libraries'), join(makeFolder(), 'libraries')];
      findBinaries(dirname(complete));
      const names = readdirSync(complete);
      assert.ok(names.length > 0);
      mkdirSync(begun);
      for (const name of names) symlinkSync('/nowhere', join(begun, `${name}.${process.pid}`));
      findBinaries(dirname(begun));
      assert.deepEqual(readdirSync(begun), names);
    });
  }

  test('five at once from five processes: one server, one owner, nobody refused', async () => {
    const dataDirectory = join(makeFolder(), 'var');
    const opened = await Promise.all(Array.from({ length: 5 }, () => hold(dataDirectory)));
    assert.deepEqual(
      opened.map(({ refusal }) => refusal),
      Array(5).fill(undefined),
    );
    assert.equal(opened.filter(({ isOwner }) => isOwner).length, 1);
    assert.equal(new Set(opened.map(({ socketDirectory }) => socketDirectory)).size, 1);
    await query(opened[0]?.socketDirectory ?? '', 'create table reached (id int)');
    await Promise.all(opened.map((holder) => end(holder.process, 'SIGTERM')));
  });
});

describe('a second start on the same folder', () => {
  test('attaches, and its stop leaves the server to the owner', async () => {
    const dataDirectory = await makeDataDirectory();
    const first = await open(dataDirectory);
    const second = await open(dataDirectory);
    assert.deepEqual([first.isOwner, second.isOwner], [true, false]);
    assert.equal(second.socketDirectory, first.socketDirectory);
    await second.stop();
    await query(first.socketDirectory, 'select 1');
    await first.stop();
  });

  test('starts the server again when the owner has stopped it, and owns it then', async () => {
    const dataDirectory = await makeDataDirectory();
    const first = await open(dataDirectory);
    const second = await open(dataDirectory);
    await first.stop();
    await second.ensureRunning();
    await query(second.socketDirectory, 'select 1');
    assert.equal(second.isOwner, true);
    await second.stop();
  });

  test('never starts one beside a server that it cannot see, in another container', needs('mounts'), async () => {
    const dataDirectory = await makeDataDirectory();
    const server = await open(dataDirectory);
    for (const attaches of [false, true]) {
      const prefix = ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc'];
      const inContainer = await hold(dataDirectory, { prefix, attaches });
      assert.deepEqual([inContainer.refusal, inContainer.isOwner], [undefined, false]);
      await end(inContainer.process, 'SIGKILL');
    }
    await query(server.socketDirectory, 'select 1');
    await server.stop();
  });
});

describe('a copy of a data directory', () => {
  test('never leads to the database of the original, and starts by itself when it is told to', async () => {
    const dataDirectory = await makeDataDirectory();
    const original = await open(dataDirectory);
    await query(original.socketDirectory, 'create table of_the_original (only_row int)');
    const copy = makeFolder();
    execFileSync('cp', ['-a', join(dataDirectory, 'postgres'), copy]);
    await assert.rejects(open(copy), (error: Error) => {
      assert.match(error.message, /is a copy of .*, whose database is running\. Stop the original first\./);
      return true;
    });
    rmSync(join(copy, 'postgres/postmaster.pid'));
    const server = await open(copy);
    assert.notEqual(server.socketDirectory, original.socketDirectory);
    await query(server.socketDirectory, 'create table of_the_copy (only_row int)');
    const tables = "select count(*)::int4 as count from pg_class where relname = 'of_the_copy'";
    assert.deepEqual(await query(original.socketDirectory, tables), [{ count: 0 }]);
    await server.stop();
    await original.stop();
  });
});

describe('after a kill', () => {
  test('kill -9 of the owner: its server ends with it, and the next start finds every committed row', async () => {
    const dataDirectory = await makeDataDirectory();
    const owner = await hold(dataDirectory);
    await query(owner.socketDirectory ?? '', 'create table kept as select 42 as answer');
    const killed = postmasterPid(dataDirectory);
    await end(owner.process, 'SIGKILL');
    await waitFor('end of the server', () => !isRunning(killed));
    const server = await open(dataDirectory);
    assert.deepEqual(await query(server.socketDirectory, 'select answer from kept'), [{ answer: 42 }]);
    assert.equal(server.isOwner, true);
    assert.notEqual(postmasterPid(dataDirectory), killed);
    await server.stop();
  });

  test('kill -9 of the postmaster: ensureRunning brings it back, although a session was in the middle of its work', async () => {
    const dataDirectory = await makeDataDirectory();
    const server = await open(dataDirectory);
    await query(server.socketDirectory, 'create table kept as select 42 as answer');
    const busy = query(server.socketDirectory, 'select count(*) from generate_series(1, 100000000000)').catch(
      (failure) => failure,
    );
    await waitFor('session at work', async () => (await countBusy(server)) === 1);
    await killPostmaster(dataDirectory);
    await Promise.all([server.ensureRunning(), server.ensureRunning()]);
    assert.deepEqual(await query(server.socketDirectory, 'select answer from kept'), [{ answer: 42 }]);
    assert.equal(server.isOwner, true);
    assert.ok((await busy) instanceof Error);
    await server.stop();
  });

  // As one that waits in shared memory for what a killed session held.
  test('kill -9 of the postmaster: ensureRunning brings it back, although a session hears no request to end', async () => {
    const dataDirectory = await makeDataDirectory();
    const server = await open(dataDirectory);
    const waiting = query(server.socketDirectory, 'select pg_sleep(100)').catch((failure) => failure);
    const findWaiting = () => query(server.socketDirectory, `select pid from pg_stat_activity where wait_event = 'PgSleep'`);
    await waitFor('session that sleeps', async () => (await findWaiting()).length === 1);
    for (const { pid } of await findWaiting()) process.kill(Number(pid), 'SIGSTOP');
    await killPostmaster(dataDirectory);
    await server.ensureRunning();
    assert.deepEqual(await query(server.socketDirectory, 'select 42 as answer'), [{ answer: 42 }]);
    assert.ok((await waiting) instanceof Error);
    await server.stop();
  });

  test('its socket is removed: ensureRunning of its owner brings it back with every committed row, and of nobody else', async () => {
    const dataDirectory = await makeDataDirectory();
    const [owner, other] = [await open(dataDirectory), await open(dataDirectory)];
    await query(owner.socketDirectory, 'create table kept as select 42 as answer');
    const before = postmasterPid(dataDirectory);
    rmSync(join(owner.socketDirectory, '.s.PGSQL.5432'));
    await other.ensureRunning();
    assert.equal(postmasterPid(dataDirectory), before);
    await Promise.all([owner.ensureRunning(), owner.ensureRunning()]);
    assert.deepEqual(await query(owner.socketDirectory, 'select answer from kept'), [{ answer: 42 }]);
    assert.deepEqual([owner.isOwner, other.isOwner], [true, false]);
    await other.stop();
    await owner.stop();
    assert.equal(existsSync(join(dataDirectory, 'postgres/postmaster.pid')), false, 'shut down, not killed');
  });

  test(
    'a server that outlived its starter is ended by the next start, which owns a new one',
    isRoot ? needs('namespaces') : {},
    async () => {
      const dataDirectory = await makeDataDirectory();
      const owner = await hold(dataDirectory, { prefix: ['env', `PATH=${makeSearchPath('sh', 'unshare')}`] });
      const survivor = postmasterPid(dataDirectory);
      await end(owner.process, 'SIGKILL');
      assert.ok(isRunning(survivor));
      const server = await open(dataDirectory);
      assert.equal(server.isOwner, true);
      assert.equal(isRunning(survivor), false);
      await server.stop();
    },
  );

  test('a session counts as orphaned only when its postmaster is gone', async () => {
    const dataDirectory = await makeDataDirectory();
    const server = await open(dataDirectory);
    const cluster = join(dataDirectory, 'postgres');
    const processes = listProcesses(cluster);
    assert.ok(processes.length > 1);
    assert.deepEqual(
      processes.filter((pid) => isOrphanedSession(pid, cluster)),
      [],
    );
    await server.stop();
  });

  for (const [whose, script] of [
    ['another program', 'echo $$; exec sleep 60'],
    ['a zombie', 'true & echo $!; exec sleep 60'],
  ] as const) {
    test(`a stale pid file whose number now belongs to ${whose} does not stand in the way`, async () => {
      const dataDirectory = await makeDataDirectory();
      const first = await open(dataDirectory);
      const pidFile = join(dataDirectory, 'postgres/postmaster.pid');
      const text = readFileSync(pidFile, 'utf8');
      await first.stop();
      const stranger = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [pid] = await once(stranger.stdout, 'data');
      const stale = text.replace(/^\d+/, String(pid).trim());
      writeFileSync(pidFile, stale);
      writeFileSync(join(dataDirectory, 'postgres/.s.PGSQL.5432.lock'), stale);
      const server = await open(dataDirectory);
      await query(server.socketDirectory, 'select 1');
      await server.stop();
      assert.ok(isRunning(stranger.pid ?? 0), 'the stranger is left alone');
      await end(stranger, 'SIGKILL');
    });
  }

  test('a program that merely stands in the folder is no session: it is left alone and waited for by nobody', async () => {
    const dataDirectory = await makeDataDirectory();
    const stranger = spawn('sleep', ['60'], { cwd: join(dataDirectory, 'postgres') });
    const server = await open(dataDirectory);
    await server.stop();
    assert.ok(isRunning(stranger.pid ?? 0));
    await end(stranger, 'SIGKILL');
  });

  test('after its own stop, ensureRunning starts nothing', async () => {
    const dataDirectory = await makeDataDirectory();
    const server = await open(dataDirectory);
    await server.stop();
    await server.ensureRunning();
    assert.equal(existsSync(join(dataDirectory, 'postgres/postmaster.pid')), false);
  });

  test('a stop does not wait for a server that nobody starts', async () => {
    const dataDirectory = await makeDataDirectory();
    const owner = await open(dataDirectory);
    const attached = await openEmbedded(dataDirectory, { mayStart: false, ...(BINARIES !== '' && { binaries: BINARIES }) });
    await owner.stop();
    const isHere = attached.ensureRunning();
    await attached.stop();
    await isHere;
  });

  test('ensureRunning never makes an empty database in the place of one that disappeared', async () => {
    const dataDirectory = await makeDataDirectory();
    const owner = await open(dataDirectory);
    const attached = await open(dataDirectory);
    await owner.stop();
    renameSync(join(dataDirectory, 'postgres'), join(dataDirectory, 'moved'));
    await assert.rejects(attached.ensureRunning(), /postgres has disappeared/);
    assert.equal(existsSync(join(dataDirectory, 'postgres')), false);
  });
});

describe('any user, any folder', () => {
  test('a process that may only attach never makes one in the place of one that disappeared', async () => {
    const dataDirectory = makeFolder();
    const { refusal, code } = await hold(dataDirectory, { attaches: true });
    assert.match(refusal ?? '', /postgres has disappeared: restore it/);
    assert.equal(code, EMBEDDED_PROBLEM);
    assert.equal(existsSync(join(dataDirectory, 'postgres')), false);
  });

  test('an ordinary user runs it, with no help from root', async () => {
    const dataDirectory = makeFolder();
    if (isRoot) chownSync(dataDirectory, NOBODY, NOBODY);
    const holder = await hold(dataDirectory, isRoot ? { installation: openInstallation(), prefix: AS_NOBODY } : {});
    assert.deepEqual([holder.refusal, holder.isOwner], [undefined, true]);
    await query(holder.socketDirectory ?? '', 'select 1');
    assert.equal(statSync(join(dataDirectory, 'postgres')).uid, isRoot ? NOBODY : process.getuid?.());
  });

  test('root runs it in the closed folder of another user', needs('root'), async () => {
    const folder = makeFolder();
    chownSync(folder, 1234, 1234);
    await assertKeepsRows(join(folder, 'var'), hold);
  });

  test('root runs the database of another user as that user', needs('root'), async () => {
    const dataDirectory = await makeDataDirectory();
    execFileSync('chown', ['-R', '1234:1234', dataDirectory]);
    await assertKeepsRows(dataDirectory, hold);
    assert.equal(statSync(join(dataDirectory, 'postgres/global')).uid, 1234);
  });

  test(
    'root of a container without user namespaces runs it as nobody, data and programs in closed folders',
    needsContainer,
    async () => {
      const dataDirectory = join(makeFolder(), 'var');
      const installation = copyInstallation();
      chmodSync(installation.folder, 0o700);
      await assertKeepsRows(dataDirectory, (path) => holdInContainer(path, '0 0 65536', installation));
      assert.equal(statSync(join(dataDirectory, 'postgres')).uid, NOBODY);
    },
  );

  test(
    'where it runs as nobody no other process of nobody reaches it: the short folder of its socket is closed, also one from before',
    needsContainer,
    async () => {
      const folder = makeFolder();
      const dataDirectory = join(folder, 'deep'.repeat(20), 'deeper'.repeat(10));
      const installation = openInstallation();
      const start = () => holdInContainer(dataDirectory, '0 0 65536', installation);
      for (const isFromBefore of [false, true]) {
        const holder = await start();
        const { socketDirectory = '' } = holder;
        assert.match(socketDirectory, /^\/tmp\/partner-impact-/, holder.refusal);
        const reached = spawnSync(AS_NOBODY[0], [...AS_NOBODY.slice(1), installation.node, '-e', CONNECT, socketDirectory]);
        assert.equal(reached.stdout.toString(), 'EACCES', reached.stderr.toString());
        assert.deepEqual(await query(socketDirectory, 'select 1 as one'), [{ one: 1 }]);
        assert.deepEqual([statSync(socketDirectory).uid, statSync(socketDirectory).mode & 0o777], [0, 0o700]);
        await end(holder.process, 'SIGTERM');
        if (isFromBefore) rmSync(socketDirectory, { recursive: true });
        else chownSync(socketDirectory, NOBODY, NOBODY);
      }
    },
  );

  test(
    'where it would run as nobody in a folder that other processes of nobody may enter, it is refused',
    needsContainer,
    async () => {
      const folder = makeFolder();
      chmodSync(folder, 0o755);
      const start = () => holdInContainer(folder, '0 0 65536', openInstallation());
      const { refusal = '' } = await start();
      assert.match(refusal, /is accessible to other programs of the user nobody.*run "chmod 700 /);
      assert.equal(existsSync(join(folder, 'postgres')), false);
      chmodSync(folder, 0o700);
      const holder = await start();
      assert.equal(holder.refusal, undefined);
      await end(holder.process, 'SIGTERM');
      chmodSync(folder, 0o711);
      assert.match((await start()).refusal ?? '', /is accessible to other programs/, 'one that is there');
    },
  );

  test('a path too long for a socket: the socket lies in a short folder', async () => {
    const dataDirectory = join(makeFolder(), 'deep'.repeat(20), 'deeper'.repeat(10));
    const server = await open(dataDirectory);
    assert.ok(Buffer.byteLength(server.socketDirectory) <= 93);
    await query(server.socketDirectory, 'select 1');
    await server.stop();
    rmSync(server.socketDirectory, { recursive: true });
  });

  test('a path with spaces, quotes, commas and letters of other scripts', async () => {
    const server = await open(join(makeFolder(), `a "b", c's = дом`));
    await query(server.socketDirectory, 'select 1');
    await server.stop();
  });
});

describe('refused with a sentence for the person', () => {
  test('a database of another major version', async () => {
    const dataDirectory = await makeDataDirectory();
    writeFileSync(join(dataDirectory, 'postgres/PG_VERSION'), '12\n');
    await assertRefused(dataDirectory, /was created by PostgreSQL 12 and cannot be read by the installed PostgreSQL 1[58]/);
  });

  test('a folder that this user may not write', async () => {
    const folder = makeFolder();
    chmodSync(folder, 0o555);
    const options = isRoot ? { installation: openInstallation(), prefix: AS_NOBODY } : {};
    const { refusal, code } = await hold(join(folder, 'var'), options);
    assert.match(
      refusal ?? '',
      /user \d+ cannot use .*var: change the owner of the folder, or choose another folder with DATA_DIR/,
    );
    assert.equal(code, EMBEDDED_PROBLEM);
  });

  test('a database of another user', needs('root'), async () => {
    const dataDirectory = makeReachableFolder();
    mkdirSync(join(dataDirectory, 'postgres'), { mode: 0o700 });
    const { refusal } = await hold(dataDirectory, { installation: openInstallation(), prefix: AS_NOBODY });
    assert.match(refusal ?? '', /postgres belongs to user 0, but this is user 65534: start as that user/);
  });

  test('root where neither a user namespace nor another user is to be had', needsContainer, async () => {
    const { refusal } = await holdInContainer(join(makeFolder(), 'var'), '0 0 1', openInstallation());
    assert.match(refusal ?? '', /PostgreSQL refuses to run as root.*Start as an ordinary user.*DATABASE_URL/);
  });

  /** The folder has so much room. */
  const onSmallDisk = (folder: string, size: string) => [
    'unshare',
    '--mount',
    'sh',
    '-c',
    'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"',
    'sh',
    size,
    folder,
  ];

  test('a full disk', needs('mounts'), async () => {
    const disk = makeFolder();
    const { refusal } = await hold(join(disk, 'var'), { prefix: onSmallDisk(disk, '12m') });
    assert.match(refusal ?? '', /The disk that holds .*var is full: free some space/);
  });

  test('a disk so full that the server cannot write its reason', needs('mounts'), async () => {
    const disk = makeFolder();
    const dataDirectory = await makeDataDirectory();
    // The next line of the log takes a block that is not there.
    writeFileSync(join(dataDirectory, 'postgres.log'), Buffer.alloc(4_096, '\n'));
    const fill = 'cp -a "$1" "$2" && cat /dev/zero > "$2/filler" 2>/dev/null; shift 2 && exec "$@"';
    const prefix = [...onSmallDisk(disk, '80m'), 'sh', '-c', fill, 'sh', dataDirectory, disk];
    const { refusal } = await hold(join(disk, basename(dataDirectory)), { prefix });
    assert.match(refusal ?? '', /The disk that holds .*postgres is full: free some space/);
  });

  test('what a starting server answers its clients is not why it does not start', async () => {
    const dataDirectory = await makeDataDirectory();
    rmSync(join(dataDirectory, 'postgres/global/pg_control'));
    const binaries = makeFolder();
    const { directory, environment } = findBinaries(dataDirectory, BINARIES || undefined);
    const libraries = environment['LD_LIBRARY_PATH'] ?? '';
    const refused = '2026-11-29 12:06:31.071 UTC [17647] FATAL:  the database system is not yet accepting connections';
    const program = `#!/bin/sh
      LD_LIBRARY_PATH='${libraries}' '${directory}/postgres' "$@" || { code=$?; echo '${refused}' >&2; exit $code; }`;
    writeFileSync(join(binaries, 'postgres'), program, { mode: 0o755 });
    await assert.rejects(openEmbedded(dataDirectory, { binaries }), { message: /did not start: .*pg_control/ });
  });

  test('a server that does not become ready, which is ended', async () => {
    const [cluster, directory] = [join(makeFolder(), 'postgres'), makeFolder()];
    mkdirSync(cluster);
    const program = join(directory, 'postgres');
    writeFileSync(program, '#!/bin/sh\nwhile :; do sleep 0.1; done', { mode: 0o755 });
    const binaries = { directory, environment: { PATH: process.env['PATH'] ?? '' } };
    const account = { prefix: [], postgresMajor: 18 };
    const site = { cluster, binaries, account, mayStart: true, onProgress: () => {} };
    await assert.rejects(attachOrStart(site, 2_000), /No server of the database in .* became ready within 2 s/);
    const isLeft = (pid: string) => readText(`/proc/${pid}/cmdline`).includes(program);
    await waitFor('end of the server', () => !readdirSync('/proc').some(isLeft));
  });

  test('shared memory that is too small', needs('mounts'), async () => {
    const dataDirectory = mkdtempSync(join('/var/tmp', 'partner-impact-'));
    after(() => rmSync(dataDirectory, { recursive: true }));
    // What a run of all tests loads into each process lies in the memory that is hidden.
    const { refusal } = await hold(dataDirectory, { prefix: ['env', '-u', 'NODE_OPTIONS', ...onSmallDisk('/dev/shm', '512k')] });
    assert.match(refusal ?? '', /The shared memory of this machine, \/dev\/shm, is full or too small.*shared memory segment/);
  });

  if (BINARIES === '') {
    test('a platform without a package', async () => {
      const { refusal } = await hold(makeFolder(), { installation: copyInstallation({ hasPackage: false }) });
      assert.match(refusal ?? '', /There is no embedded PostgreSQL for linux-.*DATABASE_URL/);
    });
  }

  test('something else in the place of the database', async () => {
    const dataDirectory = makeFolder();
    mkdirSync(join(dataDirectory, 'postgres/photographs'), { recursive: true });
    await assertRefused(dataDirectory, /has files that are not a database/);
    assert.ok(existsSync(join(dataDirectory, 'postgres/photographs')));
  });

  test("damaged files: with PostgreSQL's own reason", async () => {
    const dataDirectory = await makeDataDirectory();
    rmSync(join(dataDirectory, 'postgres/global/pg_control'));
    await assertRefused(dataDirectory, /did not start: .*pg_control/);
  });
});

async function assertRefused(dataDirectory: string, sentence: RegExp): Promise<void> {
  await assert.rejects(open(dataDirectory), { code: EMBEDDED_PROBLEM, message: sentence });
}

async function killPostmaster(dataDirectory: string): Promise<void> {
  const pid = postmasterPid(dataDirectory);
  process.kill(pid, 'SIGKILL');
  await waitFor('end of the postmaster', () => !isRunning(pid));
}

/** Over a kill of the owner, a second start beside the first, and an orderly end. */
async function assertKeepsRows(dataDirectory: string, holdIt: (dataDirectory: string) => Promise<Holder>): Promise<void> {
  const killed = await holdIt(dataDirectory);
  assert.deepEqual([killed.refusal, killed.isOwner], [undefined, true]);
  await query(killed.socketDirectory ?? '', 'create table kept as select 42 as answer');
  await end(killed.process, 'SIGKILL');
  const owner = await holdIt(dataDirectory);
  assert.deepEqual([owner.refusal, owner.isOwner], [undefined, true]);
  const attached = await holdIt(dataDirectory);
  assert.deepEqual([attached.refusal, attached.isOwner], [undefined, false]);
  assert.deepEqual(await query(attached.socketDirectory ?? '', 'select answer from kept'), [{ answer: 42 }]);
  await end(attached.process, 'SIGTERM');
  await end(owner.process, 'SIGTERM');
  assert.equal(existsSync(join(dataDirectory, 'postgres/postmaster.pid')), false);
}

/** Sessions that have been at work for a moment, so that a statement that has only just been sent does not count. */
async function countBusy({ socketDirectory }: EmbeddedServer): Promise<number> {
  const rows = await query(
    socketDirectory,
    `select 1 from pg_stat_activity where state = 'active' and query like '%100000000000%' and pid <> pg_backend_pid()`,
  );
  return rows.length;
}

function isRunning(pid: number): boolean {
  return readText(`/proc/${pid}/stat`).length > 0 && !/\) Z /.test(readText(`/proc/${pid}/stat`));
}

/** Others may pass through it, as through most folders of a machine. */
function makeReachableFolder(): string {
  const folder = makeFolder();
  chmodSync(folder, 0o755);
  return folder;
}

/** A folder for `PATH` that holds these programs and no others. */
function makeSearchPath(...programs: string[]): string {
  const folder = makeFolder();
  for (const program of programs) {
    const found = execFileSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).trim();
    symlinkSync(found, join(folder, program));
  }
  return folder;
}
