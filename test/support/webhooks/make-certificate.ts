import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

const KEYS = { ec: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], rsa: ['rsa:2048'] };

/**
 * A certificate for one name, its own authority.
 *
 * @param days For how long it is valid; negative for one that has expired.
 * @param extensions Besides its name, as in OpenSSL's configuration.
 */
export function makeCertificate(
  name: string,
  days = 2,
  keyKind: keyof typeof KEYS = 'ec',
  extensions: readonly string[] = [],
): { key: Buffer; cert: Buffer } {
  const folder = temporaryFolder('certificate');
  const [key, request, cert] = ['key', 'request', 'cert'].map((file) => join(folder, file)) as [string, string, string];
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe' });
  const kind = ['req', '-new', '-newkey', ...KEYS[keyKind], '-nodes'];
  const added = [`subjectAltName=DNS:${name}`, ...extensions].flatMap((extension) => ['-addext', extension]);
  openssl(...kind, '-subj', `/CN=${name}`, ...added, '-keyout', key, '-out', request);
  openssl('x509', '-req', '-in', request, '-signkey', key, '-days', `${days}`, '-copy_extensions', 'copy', '-out', cert);
  return { key: readFileSync(key), cert: readFileSync(cert) };
}
