/** A process that closes a partner's open settlement again and again, until so many are closed: `closer.ts URL PARTNER COUNT`. */

import { readNamedKeys } from '../../src/domain/audit/named-key.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { ServiceError } from '../../src/domain/service-error.ts';
import { closeSettlement } from '../../src/operations/settlements/close-settlement.ts';
import { openDatabase } from '../../src/store/database.ts';
import { findOpenSettlement } from '../../src/store/settlements/settlement.ts';
import { settlementTools } from '../harness/settlement-tools.ts';

const [databaseUrl = '', partnerId = '', count = ''] = process.argv.slice(2);
// The contributions are checked under the keys of the service that sealed them.
const keys = readNamedKeys(process.env['AUDIT_KEY'] ?? '', 'AUDIT_KEY');
const database = openDatabase({ databaseUrl, poolSize: 2, auditKeys: () => keys });
const told = { closed: 0, lost: 0 };
for (;;) {
  const open = await findOpenSettlement(database.pool, partnerId);
  if (!open || open.sequence > BigInt(count)) break;
  const actor = { operatorId: 'owner', role: 'approver', correlationId: newId('corr') } as const;
  // The other process closes it too; its successor, which may be one more than were asked for, is looked for anew.
  const closing = { partnerId, isEarly: true, settlementId: open.settlementId };
  const outcome = await closeSettlement(database, actor, closing, settlementTools).catch((error: unknown) => {
    // The other process was faster, or the period began within this very millisecond.
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
  if (outcome) told.closed++;
  else told.lost++;
}
await database.close();
process.stdout.write(JSON.stringify(told));
