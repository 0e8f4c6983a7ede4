import type { FastifyReply } from 'fastify';

/** Nothing of another host, nothing in a frame, no program in the page itself. */
const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'connect-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'manifest-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
} as const;

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
} as const;

const CONTENT_SECURITY_POLICY = Object.entries(POLICY)
  .map(([name, value]) => `${name} ${value}`)
  .join('; ');

/** On every answer, whatever it is. */
export function addSecurityHeaders(reply: FastifyReply): void {
  reply.headers({ ...HEADERS, 'content-security-policy': CONTENT_SECURITY_POLICY });
}
