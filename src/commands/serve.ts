import { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { issueApiKey } from '../operations/manage-api-key.ts';
import { createPartner } from '../operations/manage-partner.ts';
import { type Service, startService } from '../service.ts';
import { listPartners } from '../store/partner.ts';
import { printProgress } from './output.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service until SIGTERM or SIGINT')
    .option('--demo', 'in a sandbox without partners: make one, and show how to call')
    .action(serve);
}

/** A stop that takes longer is cut: whoever asked for it will not wait. */
const STOP_TIMEOUT_MS = 10_000;

async function serve({ demo = false }: { demo?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const service = await startService(config, { onProgress: printProgress });
  process.stdout.write(
    `\nPartner Impact (${config.environment}) listens on ${service.baseUrl}\nReference       ${service.baseUrl}/docs\n`,
  );
  if (demo) await showFirstCall(service, config);
  await stopOnSignal(service);
}

/** A signal to the process group may come twice, so that the second changes nothing. */
async function stopOnSignal(service: Service): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve());
  });
  printProgress('Stopping: what was accepted is answered first …');
  setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
  await service.stop();
}

async function showFirstCall(service: Service, { environment }: Config): Promise<void> {
  const { pool } = service.database;
  const hasPartner = (await listPartners(pool, { afterId: '', limit: 1 })).length > 0;
  if (environment !== 'sandbox' || hasPartner) return;
  const { partnerId } = await createPartner(pool, 'Demo partner');
  const terms = { name: 'demo', permission: 'read_write', allowedAddresses: [], expiresAt: null } as const;
  const { apiKey } = await issueApiKey(pool, environment, partnerId, terms);
  process.stdout.write(`Demo partner    ${partnerId}
Demo key        ${apiKey}
                (shown this once; \`npx partner-impact key issue --partner ${partnerId}\` makes another)

Confirm a contribution:

curl -i ${service.baseUrl}/v1/impact-transactions -H 'X-API-Key: ${apiKey}' -H 'Idempotency-Key: first-call-0001' -H 'Content-Type: application/json' -d '{"partner_event_id":"first-event-0001","partner_order_ref":"order-1","points":250}'

`);
}
