import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const PASSWORD_MIN = 12;
const PASSWORD_MAX = 128;
/** A word or two that repeat are long, and soon guessed. */
const DIFFERENT_MIN = 5;

/** What scrypt takes for an attempt. */
export interface PasswordCosts {
  readonly log2N: number;
  readonly blockSize: number;
  readonly parallelization: number;
}

/** 64 MiB and about 0.2 s for an attempt; the hash says what it was made with, so that these may grow. */
const COSTS: PasswordCosts = { log2N: 16, blockSize: 8, parallelization: 2 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** The highest cost that is computed: a hash that somebody put into the database must not take the machine's memory. */
const LOG2_N_MAX = 20;

const VERIFIER = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]+)\$([A-Za-z0-9_-]+)$/;

/**
 * Why a password cannot be taken, in words for the person who chose it; `undefined` for one that can.
 *
 * @param known What others know of the person: none of it may be in the password.
 */
export function findPasswordProblem(password: string, known: readonly (string | null)[]): string | undefined {
  const text = normalise(password);
  const characters = [...text];
  if (characters.length < PASSWORD_MIN || characters.length > PASSWORD_MAX)
    return `The password must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters; it has ${characters.length}.`;
  if (new Set(characters).size < DIFFERENT_MIN) return `The password must have at least ${DIFFERENT_MIN} different characters.`;
  const lower = text.toLowerCase();
  const isKnown = known.some((each) => each !== null && each.length > 3 && lower.includes(normalise(each).toLowerCase()));
  return isKnown ? 'The password must not hold your name or your e-mail address.' : undefined;
}

/**
 * `$scrypt$ln=16,r=8,p=2$salt$hash`, each part in base64url: another one each time.
 *
 * @see RFC 7914 for scrypt.
 */
export async function hashPassword(password: string, costs = COSTS): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, costs);
  return writeVerifier(costs, salt.toString('base64url'), hash.toString('base64url'));
}

/** Takes as long whether it is the password or not; `undefined` stands for an account that there is not, and takes as long too. */
export async function isPassword(password: string, verifier: string | undefined, usual = COSTS): Promise<boolean> {
  const nobodys = writeVerifier(usual, 'A'.repeat(22), 'A'.repeat(43));
  const [, ln = '', r = '', p = '', salt = '', hash = ''] = VERIFIER.exec(verifier ?? nobodys) ?? VERIFIER.exec(nobodys) ?? [];
  const costs = { log2N: Math.min(Number(ln), LOG2_N_MAX), blockSize: Number(r), parallelization: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), costs);
  const stored = Buffer.from(hash, 'base64url');
  return stored.length === derived.length && timingSafeEqual(stored, derived) && verifier !== undefined;
}

function writeVerifier({ log2N, blockSize, parallelization }: PasswordCosts, salt: string, hash: string): string {
  return `$scrypt$ln=${log2N},r=${blockSize},p=${parallelization}$${salt}$${hash}`;
}

function derive(password: string, salt: Buffer, { log2N, blockSize, parallelization }: PasswordCosts): Promise<Buffer> {
  const N = 2 ** log2N;
  const options: ScryptOptions = { N, r: blockSize, p: parallelization, maxmem: 256 * N * blockSize };
  return scryptInTurn(normalise(password), salt, options);
}

const scryptOnce = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
let last: Promise<unknown> = Promise.resolve();

/** One at a time, whoever asks: what it takes in memory and processor time, requests of partners must not wait for. */
function scryptInTurn(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  const result = last.then(() => scryptOnce(password, salt, HASH_BYTES, options));
  last = result.catch(() => {});
  return result;
}

/** Two keyboards may send one letter in two ways. */
function normalise(text: string): string {
  return text.normalize('NFKC');
}
