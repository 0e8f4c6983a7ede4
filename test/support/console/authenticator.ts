import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface Key {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: string;
  readonly userHandle: string;
}

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

/** What an authenticator says of its make: `statement` is a map in the form of CBOR. */
export interface Attestation {
  readonly format: string;
  readonly statement: Buffer;
}

export interface Attested {
  readonly privateKey: KeyObject;
  readonly clientDataHash: Buffer;
  /** What an attestation signs. */
  readonly signed: Buffer;
}

const withoutAttestation = (): Attestation => ({ format: 'none', statement: map({}) });

/** An authenticator as WebAuthn describes it, with one ES256 key: what a page gets from it is signed for the origin of this page. */
export class Authenticator implements Key {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: string;
  userHandle: string;
  counter = 0;
  readonly #origin: string;
  readonly #isUserVerified: boolean;

  constructor(origin: string, key: Partial<Key> = {}, { isUserVerified = true } = {}) {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#origin = origin;
    this.#isUserVerified = isUserVerified;
    this.id = key.id ?? base64url(randomBytes(32));
    this.privateKey = key.privateKey ?? pair.privateKey;
    this.publicKey = key.publicKey ?? base64url(coseOf(pair.publicKey));
    this.userHandle = key.userHandle ?? '';
  }

  /** `navigator.credentials.create`. */
  create(optionsJson: string, attest: (attested: Attested) => Attestation = withoutAttestation): string {
    const { challenge, user, rp } = JSON.parse(optionsJson);
    this.userHandle = user.id;
    const id = Buffer.from(this.id, 'base64url');
    const key = Buffer.from(this.publicKey, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const data = Buffer.concat([this.#dataFor(rp.id, 0x40), Buffer.alloc(16), length, id, key]);
    const clientDataJSON = this.#clientData('webauthn.create', challenge);
    const clientDataHash = sha256(Buffer.from(clientDataJSON, 'base64url'));
    const signed = Buffer.concat([data, clientDataHash]);
    const { format, statement } = attest({ privateKey: this.privateKey, clientDataHash, signed });
    return this.#answer({
      clientDataJSON,
      attestationObject: base64url(map({ fmt: text(format), attStmt: statement, authData: bytes(data) })),
      transports: ['internal'],
    });
  }

  /** `navigator.credentials.get`. */
  get(optionsJson: string): string {
    const { challenge, rpId } = JSON.parse(optionsJson);
    const data = this.#dataFor(rpId, 0);
    const clientDataJSON = this.#clientData('webauthn.get', challenge);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.#answer({
      clientDataJSON,
      authenticatorData: base64url(data),
      userHandle: this.userHandle,
      signature: base64url(sign('sha256', signed, this.privateKey)),
    });
  }

  #dataFor(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const present = 0x01 | (this.#isUserVerified ? 0x04 : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([present | flags]), counter]);
  }

  #clientData(type: string, challenge: string): string {
    return base64url(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }));
  }

  #answer(response: object): string {
    return JSON.stringify({ id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response });
  }
}

/** A P-256 key in the form of COSE. @see RFC 9053, section 7.1. */
function coseOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const coordinate = (value: string) => bytes(Buffer.from(value, 'base64url'));
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    ...[coordinate(x), Buffer.from([0x22]), coordinate(y)],
  ]);
}

/** With fewer than 24 members. @see RFC 8949, section 3.1. */
export function map(members: Readonly<Record<string, Buffer>>): Buffer {
  const pairs = Object.entries(members);
  return Buffer.concat([Buffer.from([0xa0 | pairs.length]), ...pairs.flatMap(([name, value]) => [text(name), value])]);
}

/** Of fewer than 24 bytes. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
}

export function bytes(value: Uint8Array): Buffer {
  const head = value.length < 256 ? [0x58, value.length] : [0x59, value.length >> 8, value.length & 0xff];
  return Buffer.concat([Buffer.from(head), value]);
}
