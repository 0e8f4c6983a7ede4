import { issue, listKeys, revoke, rotate } from './access/keys.ts';
import * as operators from './access/operators.ts';
import * as partners from './access/partners.ts';
import * as passkeys from './access/passkeys.ts';
import { beginFactor, confirmFactor, dropFactor } from './access/second-factor.ts';
import { findSecondPeople, judgeSecondPerson } from './access/second-person.ts';
import { getSession, setPassword, signIn, signInOnceMore, signInWithLink, signOut } from './access/sign-in.ts';
import { sendTest } from './access/test-confirmation.ts';
import * as adjustments from './adjustments/adjustments.ts';
import { listAudit } from './audit/audit.ts';
import { getContribution, getLatestContributions, getTimeline, listContributions } from './contributions/contributions.ts';
import * as failures from './contributions/failures.ts';
import { decideReviews, getReviewOf, listReviews } from './contributions/reviews.ts';
import { getEstimate } from './emissions/estimates.ts';
import { getEventOf } from './events/events.ts';
import { exportOf, isPaged } from './export-route.ts';
import * as changes from './impact/batch-changes.ts';
import * as batches from './impact/batches.ts';
import * as evidence from './impact/evidence.ts';
import * as projects from './impact/projects.ts';
import { listRuns } from './overview/job-runs.ts';
import { listAllJobs, run } from './overview/jobs.ts';
import { getMonthSettlements } from './overview/month-settlements.ts';
import { getMonth, listMonths } from './overview/months.ts';
import { getOverview } from './overview/overview.ts';
import { search } from './overview/search.ts';
import * as reconciliations from './reconciliations/reconciliations.ts';
import type { OperatorRoute } from './route.ts';
import { listRules } from './rules/list-rules.ts';
import * as rules from './rules/rules.ts';
import * as acknowledgements from './settlements/acknowledgements.ts';
import * as closings from './settlements/closings.ts';
import * as settlements from './settlements/settlements.ts';
import { getVerification, verify } from './settlements/verifications.ts';
import * as deliveries from './webhooks/deliveries.ts';
import * as endpointActivity from './webhooks/endpoint-activity.ts';
import * as endpoints from './webhooks/endpoints.ts';

const OPERATIONS: readonly OperatorRoute[] = [
  signIn,
  signInWithLink,
  getSession,
  signInOnceMore,
  setPassword,
  signOut,
  beginFactor,
  confirmFactor,
  dropFactor,
  ...Object.values(passkeys),
  getOverview,
  getMonth,
  listMonths,
  getMonthSettlements,
  search,
  ...Object.values(partners),
  sendTest,
  listKeys,
  issue,
  rotate,
  revoke,
  listContributions,
  getLatestContributions,
  getContribution,
  getTimeline,
  listReviews,
  getReviewOf,
  decideReviews,
  ...Object.values(failures),
  getEstimate,
  listRules,
  ...Object.values(rules),
  ...Object.values(settlements),
  ...Object.values(acknowledgements),
  ...Object.values(closings),
  verify,
  getVerification,
  ...Object.values(reconciliations),
  ...Object.values(adjustments),
  ...[projects, batches, changes, evidence].flatMap((module): OperatorRoute[] => Object.values(module)),
  ...Object.values(endpoints),
  ...Object.values(endpointActivity),
  ...Object.values(deliveries),
  getEventOf,
  ...Object.values(operators),
  judgeSecondPerson,
  findSecondPeople,
  listAudit,
  listRuns,
  listAllJobs,
  run,
];

/** Every operation of the interface; each list as a file too. */
export const ROUTES: readonly OperatorRoute[] = [...OPERATIONS, ...OPERATIONS.filter(isPaged).map(exportOf)];
