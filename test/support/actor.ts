import { randomUUID } from 'node:crypto';
import type { Actor, Role } from '../../src/domain/access/role.ts';
import { newNamedKey } from '../../src/domain/audit/named-key.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { createOperator } from '../../src/operations/access/manage-operator.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { findOperator, insertOperator } from '../../src/store/access/operator.ts';
import type { Database } from '../../src/store/database.ts';

/** The owner of the machine, as on its command line. */
export const OWNER: Actor = { operatorId: 'owner', role: 'admin', correlationId: 'corr_of_the_owner' };

/** Somebody who signed in, another one each time. */
export function signedIn(role: Role): Actor {
  return { operatorId: newId('opr'), role, correlationId: newId('corr') };
}

/** The same as an operator whom the owner of the sandbox has made, with an address: one of two people. */
export async function enrolled<Roles extends readonly Role[]>(
  database: Database,
  ...roles: Roles
): Promise<{ [Index in keyof Roles]: Actor }> {
  const made = roles.map(async (role) => {
    const email = `${randomUUID()}@example.org`;
    const { operator } = await createOperator(database, OWNER, { name: role, email, role });
    return { ...signedIn(role), operatorId: operator.operatorId };
  });
  return (await Promise.all(made)) as { [Index in keyof Roles]: Actor };
}

/** Makes people of ids that stand in a constant, once in each database: files may share one. */
export async function enrol(database: Database, ...actors: readonly Actor[]): Promise<void> {
  for (const { operatorId, role } of actors) {
    if (await findOperator(database.pool, operatorId)) continue;
    await insertOperator(database.pool, { operatorId, name: role, email: `${operatorId}@example.org`, role });
    await attestRecord(database, OWNER, { kind: 'operator', id: operatorId, reason: 'made by a test' });
  }
}

const KEY = newNamedKey('test');

/** For a connection that a test opens by itself. */
export const auditKeys = () => [KEY];
