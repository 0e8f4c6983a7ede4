import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import type { ServiceRole } from './role.ts';

/**
 * Before anything is opened: a service that served partners until it finds its second port in use would leave them again.
 *
 * @throws Error That names the port, or the setting of an address that this machine does not have.
 */
export async function requireFreePorts(
  { host, port, operationsHost, operationsPort }: Config,
  roles: readonly ServiceRole[],
): Promise<void> {
  if (roles.includes('api'))
    await requireFree(host, port).catch(explainForeignHost('HOST', host)).catch(explainBusyPort('PORT=', port));
  await requireFree(operationsHost, operationsPort)
    .catch(explainForeignHost('OPERATIONS_HOST', operationsHost))
    .catch(explainBusyPort('OPERATIONS_PORT=', operationsPort));
}

async function requireFree(host: string, port: number): Promise<void> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, 'listening');
  await once(server.close(), 'close');
}

function explainForeignHost(setting: string, host: string): (error: unknown) => never {
  return (cause) => {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (!['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'].includes(code)) throw cause;
    throw new Error(`${setting} must be an address of this machine, such as 127.0.0.1 or 0.0.0.0; it is "${host}" (${code}).`, {
      cause,
    });
  };
}

/**
 * For a failed `listen`: what to do when another program has the port.
 *
 * @param setting The setting of the port, up to its number, such as `PORT=`.
 */
export function explainBusyPort(setting: string, port: number): (error: unknown) => never {
  return (cause) => {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      const holder = 'another program, or by a service that is about to end';
      const message = `The port ${port} is in use by ${holder}. Wait for it, or choose another port, such as ${setting}${port + 10}`;
      throw new Error(message, { cause });
    }
    if (code === 'EACCES')
      throw new Error(`The port ${port} is not allowed for this user. Choose one above 1023: ${setting}${port + 8_000}`, {
        cause,
      });
    throw cause;
  };
}
