import type { RequestListener } from 'node:http';
import type { Config } from '../config.ts';
import { type AdminAnswers, type AdminListener, openAdminListener } from '../observability/admin-listener.ts';
import { explainBusyPort } from './ports.ts';

/** The admin listener of a service that starts. */
export interface EarlyAdminListener extends AdminListener {
  /** From now on the service answers. */
  answerBy(answers: AdminAnswers): void;
}

/** Open before the database is: a start may wait for a migration or a slow server, and `/livez` tells that the process runs. */
export async function openConfiguredAdminListener({
  operationsHost: host,
  operationsPort: port,
  operationsNames,
}: Config): Promise<EarlyAdminListener> {
  let current: AdminAnswers = { metrics: refuse, checkReadiness: refuse, further: refuseFurther };
  const listener = await openAdminListener({
    host,
    port,
    names: [host, ...operationsNames],
    metrics: () => current.metrics(),
    checkReadiness: () => current.checkReadiness(),
    get further() {
      return current.further;
    },
  }).catch(explainBusyPort('OPERATIONS_PORT=', port));
  return {
    ...listener,
    answerBy(answers) {
      current = answers;
    },
  };
}

async function refuse(): Promise<never> {
  throw new Error('the service is starting');
}

const refuseFurther: RequestListener = (_request, response) => {
  response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' }).end('The service is starting.\n');
};
