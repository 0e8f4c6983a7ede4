import type { Actor } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import type { Database } from '../../store/database.ts';
import { ensureSealStart } from '../audit/seal-start.ts';
import { adoptRecords } from './adopt-records.ts';

/** From the first start on contributions are sealed, and records that permit something are verified by the audit. Repeatable. */
export async function startSeals(database: Database): Promise<void> {
  const actor: Actor = { operatorId: 'schedule', role: 'admin', correlationId: newId('corr') };
  await ensureSealStart(database, actor);
  await adoptRecords(database, actor);
}
