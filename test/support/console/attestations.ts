import { execFileSync } from 'node:child_process';
import { type KeyObject, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Attestation, type Attested, bytes, map } from './authenticator.ts';

/** The algorithm ES256. @see RFC 9053, section 2.1. */
const ES256 = Buffer.from([0x26]);

/** Signed by the new passkey itself, without a certificate. */
export function attestBySelf({ privateKey, signed }: Attested): Attestation {
  return { format: 'packed', statement: map({ alg: ES256, sig: bytes(sign('sha256', signed, privateKey)) }) };
}

/** With certificates of an authority of the sender's own making. */
export function attestByMaker(attested: Attested): Attestation {
  const subject = '/C=DE/O=A maker/OU=Authenticator Attestation/CN=A maker';
  return withCertificates('packed', attested, { subject, extensions: ['basicConstraints=CA:FALSE'] });
}

/** @param crlUrl Where the certificate says that a list of revoked certificates is. */
export function attestByAndroid(crlUrl: string): (attested: Attested) => Attestation {
  return (attested) => {
    const extensions = [
      `crlDistributionPoints=URI:${crlUrl}`,
      `1.3.6.1.4.1.11129.2.1.17=DER:${keyDescription(attested.clientDataHash)}`,
    ];
    return withCertificates('android-key', attested, { subject: '/CN=A key', extensions });
  };
}

/** The extension of Android that names the challenge, in hexadecimal DER. The hash has 32 bytes. */
function keyDescription(clientDataHash: Buffer): string {
  const versions = '0201030a01010201040a0101';
  return `3034${versions}0420${clientDataHash.toString('hex')}040030003000`;
}

interface Wanted {
  readonly subject: string;
  readonly extensions: readonly string[];
}

function withCertificates(format: string, { privateKey, signed }: Attested, wanted: Wanted): Attestation {
  const [leaf, authority] = makeChain(privateKey, wanted);
  const x5c = Buffer.concat([Buffer.from([0x82]), bytes(leaf), bytes(authority)]);
  return { format, statement: map({ alg: ES256, sig: bytes(sign('sha256', signed, privateKey)), x5c }) };
}

/** In DER: a certificate of the key, and the authority that has signed it. */
function makeChain(key: KeyObject, { subject, extensions }: Wanted): [leaf: Buffer, authority: Buffer] {
  const folder = temporaryFolder('attestation');
  const file = (name: string) => join(folder, name);
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe' });
  writeFileSync(file('leaf.key'), key.export({ type: 'pkcs8', format: 'pem' }));
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file('ca.key')];
  openssl('req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=An authority', '-out', file('ca.pem'));
  const added = extensions.flatMap((each) => ['-addext', each]);
  openssl('req', '-new', '-key', file('leaf.key'), '-subj', subject, ...added, '-out', file('leaf.req'));
  const signing = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2', '-copy_extensions', 'copy'];
  openssl('x509', '-req', '-in', file('leaf.req'), ...signing, '-outform', 'DER', '-out', file('leaf.der'));
  openssl('x509', '-in', file('ca.pem'), '-outform', 'DER', '-out', file('ca.der'));
  return [readFileSync(file('leaf.der')), readFileSync(file('ca.der'))];
}
