import type { Actor } from '../../domain/access/role.ts';
import { invalidRequest, problem, type ServiceError } from '../../domain/service-error.ts';
import type { WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { checkEndpointUrl } from '../security/address-guard.ts';
import { type EndpointTools, refuseValue } from './endpoint-context.ts';

/** Who adds an endpoint: a partner reads the words of its own interface, and an operator those of the command line. */
type Asker = Pick<Actor, 'isPartner'>;

type UrlTools = Pick<EndpointTools, 'allowInsecure' | 'allowThisMachine' | 'environment'>;

const ENDPOINTS_MAX = 5;

/**
 * @param wanted `allowedPort`: a further port that an operator allows.
 * @returns The normal form of the URL.
 * @throws ServiceError `invalid_request` when no endpoint may have it.
 */
export function requireAllowedUrl(
  tools: UrlTools,
  { isPartner }: Asker,
  { url, allowedPort }: { readonly url: string; readonly allowedPort?: number | undefined },
): string {
  const verdict = checkEndpointUrl(url, { ...tools, ...(allowedPort !== undefined && { allowedPort }) });
  if (verdict.status === 'accepted') return verdict.url;
  const { reason, sentence } = verdict;
  if (isPartner) throw refuseValue('url', `${sentence} ${reason === 'port' ? PORT_OF_PARTNER : PUBLIC_ADDRESS}`);
  const step =
    reason === 'port'
      ? `Give the receiver such a port, or allow this one: \`endpoint add --allow-port ${new URL(url).port}\`.`
      : addressToGive(tools);
  throw refuseValue('url', `${sentence} ${step} Nothing was stored.`);
}

const PUBLIC_ADDRESS = 'Give an https address of a public host.';
const PORT_OF_PARTNER = 'Give the receiver such a port, or ask the operator to add an endpoint with this one.';

function addressToGive({ allowInsecure, allowThisMachine = false, environment }: UrlTools): string {
  if (allowInsecure) return 'Give an http or https address.';
  if (allowThisMachine)
    return 'Give an https address of a public host, or http://127.0.0.1:PORT/ (or [::1]) for a receiver on this machine.';
  const forDevelopment =
    ' For your own receiver in development, set WEBHOOK_ALLOW_INSECURE=true for the service and for this command.';
  return `${PUBLIC_ADDRESS}${environment === 'sandbox' ? forDevelopment : ''}`;
}

/**
 * @param present All endpoints of the partner.
 * @throws ServiceError `invalid_request` for a second endpoint at the same address, and a sixth one.
 */
export function refuseBeside(
  { isPartner }: Asker,
  { url }: Pick<WebhookEndpoint, 'url'>,
  present: readonly WebhookEndpoint[],
): void {
  const same = present.find((endpoint) => endpoint.url === url);
  if (same)
    throw notPossible(
      isPartner
        ? `Your endpoint ${same.endpointId} already has this address. Use that one; if its secret is lost, rotate-secret makes another.`
        : `The partner's endpoint ${same.endpointId} already has the address ${url}; a second one would receive each event twice. Change its event types with \`endpoint update\`, its secret with \`endpoint rotate-secret\`, or give another address, such as one with a different query. Nothing was stored.`,
    );
  if (present.length >= ENDPOINTS_MAX)
    throw notPossible(
      isPartner
        ? `You have ${ENDPOINTS_MAX} endpoints, which is the maximum. Remove one first.`
        : `The partner has ${ENDPOINTS_MAX} endpoints, which is the maximum. Remove one first: \`endpoint remove\`. Nothing was stored.`,
    );
}

function notPossible(message: string): ServiceError {
  return invalidRequest([problem('url', 'not_possible', message)]);
}
