import * as keys from './access/keys.ts';
import * as operators from './access/operators.ts';
import * as partners from './access/partners.ts';
import * as passkeys from './access/passkeys.ts';
import * as secondFactor from './access/second-factor.ts';
import * as secondPerson from './access/second-person.ts';
import * as signIn from './access/sign-in.ts';
import * as testConfirmation from './access/test-confirmation.ts';
import * as adjustments from './adjustments/adjustments.ts';
import * as audit from './audit/audit.ts';
import * as contributions from './contributions/contributions.ts';
import * as failures from './contributions/failures.ts';
import * as reviews from './contributions/reviews.ts';
import * as estimates from './emissions/estimates.ts';
import * as events from './events/events.ts';
import { exportOf, isPaged } from './export-route.ts';
import * as batchChanges from './impact/batch-changes.ts';
import * as batches from './impact/batches.ts';
import * as evidence from './impact/evidence.ts';
import * as projects from './impact/projects.ts';
import * as jobRuns from './overview/job-runs.ts';
import * as jobs from './overview/jobs.ts';
import * as monthSettlements from './overview/month-settlements.ts';
import * as months from './overview/months.ts';
import * as overview from './overview/overview.ts';
import * as search from './overview/search.ts';
import * as reconciliations from './reconciliations/reconciliations.ts';
import type { OperatorRoute } from './route.ts';
import * as listedRules from './rules/list-rules.ts';
import * as rules from './rules/rules.ts';
import * as acknowledgements from './settlements/acknowledgements.ts';
import * as closings from './settlements/closings.ts';
import * as settlements from './settlements/settlements.ts';
import * as verifications from './settlements/verifications.ts';
import * as deliveries from './webhooks/deliveries.ts';
import * as endpointActivity from './webhooks/endpoint-activity.ts';
import * as endpoints from './webhooks/endpoints.ts';

/** Each exports routes alone, under their operation ids. */
const MODULES = [
  signIn,
  secondFactor,
  passkeys,
  overview,
  months,
  monthSettlements,
  search,
  partners,
  testConfirmation,
  keys,
  contributions,
  reviews,
  failures,
  estimates,
  listedRules,
  rules,
  settlements,
  acknowledgements,
  closings,
  verifications,
  reconciliations,
  adjustments,
  projects,
  batches,
  batchChanges,
  evidence,
  endpoints,
  endpointActivity,
  deliveries,
  events,
  operators,
  secondPerson,
  audit,
  jobRuns,
  jobs,
];

const OPERATIONS = MODULES.flatMap((module): OperatorRoute[] => Object.values(module));

/** Every operation of the interface; each list as a file too. */
export const ROUTES: readonly OperatorRoute[] = [...OPERATIONS, ...OPERATIONS.filter(isPaged).map(exportOf)];
