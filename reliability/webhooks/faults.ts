/** How a receiver misbehaves. Each says whether its answer is 2xx all the same: the event then counts as delivered. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';

export type Fault = keyof typeof ANSWERS | 'rebound';

interface Answering {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Counts up at each request. */
  readonly number: number;
  /** Addresses that nobody may be sent to; somebody listens there. */
  readonly inward: readonly string[];
}

interface Answer {
  readonly words: string;
  readonly is2xx: boolean;
  /** @returns For how long the answer asks to be left alone, where it asks for something sensible. */
  give(answering: Answering): number | undefined;
}

const SLOW_MS_MAX = 8_000;
const SLOW_MS_MIN = 2_000;
const TRICKLE_MS = 1_000;
const RETRY_AFTER_SECONDS = 8;
/** Beyond the 24 hours that are honoured, and no times at all. */
const ABSURD_RETRY_AFTERS = ['9999999999', '-1', 'soon', 'Wed, 21 Oct 2015 07:28:00 GMT'];
const REDIRECTS = [301, 302, 303, 307, 308];
const ENDLESS_CHUNK = Buffer.alloc(16_384, 'endless ');
/** NUL, bytes that are no UTF-8, and markup: what is kept of an answer must survive all of them. */
const ADVERSARIAL_BODY = Buffer.concat([Buffer.from([0, 0xff, 0xc3, 0x28, 0]), Buffer.alloc(4_096, '<script>"\u0000')]);

const ANSWERS = {
  error: failing('500 with an adversarial body', ({ response }) => response.writeHead(500).end(ADVERSARIAL_BODY)),
  too_many: {
    words: '429 with Retry-After, sensible and absurd',
    is2xx: false,
    give({ response, number }) {
      const isSensible = number % 2 === 0;
      const absurd = ABSURD_RETRY_AFTERS[(number >> 1) % ABSURD_RETRY_AFTERS.length];
      response.writeHead(429, { 'retry-after': isSensible ? `${RETRY_AFTER_SECONDS}` : absurd }).end();
      return isSensible ? RETRY_AFTER_SECONDS * 1_000 : undefined;
    },
  },
  reset: failing('resets the connection', ({ request: { socket } }) => {
    // Node resets only what is not encrypted.
    if (socket instanceof TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
  }),
  slow: succeeding('200 after 2 to 8 s', ({ response }) => {
    setTimeout(() => response.end(), SLOW_MS_MIN + Math.random() * (SLOW_MS_MAX - SLOW_MS_MIN));
  }),
  hang: failing('never answers', () => {}),
  redirect: failing('redirects inward', ({ response, number, inward }) =>
    response.writeHead(REDIRECTS[number % REDIRECTS.length] ?? 307, { location: inward[number % inward.length] ?? '' }).end(),
  ),
  endless: succeeding('200 with an endless body', ({ response }) => {
    const fill = () => {
      while (!response.destroyed && response.write(ENDLESS_CHUNK));
    };
    response.writeHead(200).on('drain', fill);
    fill();
  }),
  trickle: succeeding('200 with one byte a second', ({ response }) => {
    response.writeHead(200).flushHeaders();
    const timer = setInterval(() => response.write('.'), TRICKLE_MS);
    response.once('close', () => clearInterval(timer));
  }),
} as const satisfies Record<string, Answer>;

/** Whose connections the service has to give up, sooner or later. */
export const HOLDING_FAULTS: readonly Fault[] = ['hang', 'endless', 'trickle'];

/** Those of a receiver; `rebound` is one of the name service: it leads to a loopback address all of a sudden. */
export const RECEIVER_FAULTS = Object.keys(ANSWERS) as (keyof typeof ANSWERS)[];

export function describeFault(fault: Fault): string {
  return fault === 'rebound' ? 'its name turns to loopback' : ANSWERS[fault].words;
}

/** Without a fault it is. What still reaches a receiver whose name leads elsewhere came by a connection of before. */
export function answers2xx(fault: Fault | undefined): boolean {
  return fault === undefined || fault === 'rebound' || ANSWERS[fault].is2xx;
}

/** @returns For how long the answer asks to be left alone, in milliseconds. */
export function answerFaultily(fault: Fault, answering: Answering): number | undefined {
  if (fault !== 'rebound') return ANSWERS[fault].give(answering);
  answering.response.end();
  return undefined;
}

function failing(words: string, act: (answering: Answering) => unknown): Answer {
  return { words, is2xx: false, give: (answering) => void act(answering) };
}

function succeeding(words: string, act: (answering: Answering) => unknown): Answer {
  return { words, is2xx: true, give: (answering) => void act(answering) };
}
