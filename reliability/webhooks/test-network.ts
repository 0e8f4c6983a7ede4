/** Where the receivers are: on loopback addresses by plain http, or on a public address by TLS in a network of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tls } from './messages.ts';
import { openNameServer } from './name-server.ts';

export interface TestNetwork {
  /** What the receivers listen on. */
  readonly host: string;
  readonly tls: Tls | undefined;
  /** Settings of the service. */
  readonly env: Readonly<Record<string, string>>;
  urlOf(endpoint: number, port: number): string;
  /** Lets the name of an endpoint lead to a loopback address, or back; only where there are names. */
  rebind(endpoint: number, isInward: boolean): void;
  close(): void;
}

/** The public address of the network of its own: that of a root name server, which is this machine in there. */
const PUBLIC_ADDRESS = '198.41.0.4';
const LOOPBACK = '127.0.0.1';
const INSIDE_VARIABLE = 'WEBHOOKS_OWN_NETWORK';
/** The variable holds the path of what the machine knows of name servers, in there. */
const SET_UP = `ip link set lo up && ip addr add ${PUBLIC_ADDRESS}/32 dev lo && mount --bind "$${INSIDE_VARIABLE}" /etc/resolv.conf`;

export function isInOwnNetwork(): boolean {
  return process.env[INSIDE_VARIABLE] !== undefined;
}

/**
 * Runs this program once more, with the same words, in a network of its own from which nothing goes out.
 *
 * @returns Its exit code.
 * @throws Error When this system gives no such network.
 */
export function runInOwnNetwork(): number {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-network-'));
  const nameServers = join(folder, 'resolv.conf');
  writeFileSync(nameServers, `nameserver ${LOOPBACK}\n`);
  const env = { ...process.env, [INSIDE_VARIABLE]: nameServers };
  const enter = ['--user', '--map-root-user', '--net', '--mount', 'sh', '-c'];
  try {
    const { status, stderr } = spawnSync('unshare', [...enter, SET_UP], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`This system gives no network of its own (unshare, ip, mount): ${stderr}`);
    const again = [process.execPath, ...process.argv.slice(1)];
    return spawnSync('unshare', [...enter, `${SET_UP} && exec "$0" "$@"`, ...again], { env, stdio: 'inherit' }).status ?? 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function openTestNetwork(endpoints: readonly number[]): Promise<TestNetwork> {
  return isInOwnNetwork() ? inOwnNetwork(endpoints) : onLoopback();
}

function onLoopback(): TestNetwork {
  return {
    host: LOOPBACK,
    tls: undefined,
    env: { WEBHOOK_ALLOW_INSECURE: 'true' },
    urlOf: (endpoint, port) => `http://${LOOPBACK}:${port}/endpoint-${endpoint}`,
    rebind: () => {},
    close: () => {},
  };
}

async function inOwnNetwork(endpoints: readonly number[]): Promise<TestNetwork> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-certificate-'));
  const certificateFile = join(folder, 'cert.pem');
  const tls = makeCertificate(folder, certificateFile);
  const addresses = new Map(endpoints.map((endpoint) => [nameOf(endpoint), PUBLIC_ADDRESS]));
  const nameServer = await openNameServer(LOOPBACK, (name) => addresses.get(name));
  return {
    host: PUBLIC_ADDRESS,
    tls,
    env: { WEBHOOK_ALLOW_INSECURE: 'false', NODE_EXTRA_CA_CERTS: certificateFile },
    urlOf: (endpoint, port) => `https://${nameOf(endpoint)}:${port}/endpoint-${endpoint}`,
    rebind: (endpoint, isInward) => void addresses.set(nameOf(endpoint), isInward ? LOOPBACK : PUBLIC_ADDRESS),
    close() {
      nameServer.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function nameOf(endpoint: number): string {
  return `hook-${endpoint}.example.com`;
}

/** Its own authority, for all names of the receivers. */
function makeCertificate(folder: string, certificateFile: string): Tls {
  const keyFile = join(folder, 'key.pem');
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=receivers', '-addext', 'subjectAltName=DNS:*.example.com'];
  execFileSync('openssl', [...kind, ...names, '-keyout', keyFile, '-out', certificateFile], { stdio: 'pipe' });
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certificateFile, 'utf8') };
}
