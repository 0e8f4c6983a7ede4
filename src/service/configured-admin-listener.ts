import type { Config } from '../config.ts';
import { type AdminListener, type AdminListenerOptions, openAdminListener } from '../observability/admin-listener.ts';
import { explainBusyPort } from './ports.ts';

export async function openConfiguredAdminListener(
  { operationsHost: host, operationsPort: port, operationsNames }: Config,
  answers: Pick<AdminListenerOptions, 'metrics' | 'checkReadiness' | 'further'>,
): Promise<AdminListener> {
  return openAdminListener({ host, port, names: [host, ...operationsNames], ...answers }).catch(
    explainBusyPort('OPERATIONS_PORT=', port),
  );
}
