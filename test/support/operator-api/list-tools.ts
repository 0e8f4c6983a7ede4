import type { OperatorApiOptions, OperatorApiTools } from '../../../src/operator-api/app.ts';
import { createSharedState } from '../../../src/operator-api/shared-state.ts';
import type { Database } from '../../../src/store/database.ts';

/** What the lists of operators use of the tools. */
export function listTools(database: Database): OperatorApiTools {
  const options = { database, reviewExpiryHours: 72, environment: 'sandbox', jobs: { all: [] } } as unknown as OperatorApiOptions;
  return { ...options, shared: createSharedState(options) };
}
