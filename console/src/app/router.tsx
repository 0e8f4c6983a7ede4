/** Every address of the console. A page is loaded when it is opened first. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Shell } from '../layout/shell.tsx';
import { BrokenPage, UnknownPage } from '../layout/unknown-page.tsx';
import { Loading } from '../parts/state.tsx';
import { loadPage } from './load-page.ts';
import { parseSearch, stringifySearch } from './search-params.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: UnknownPage });

type Load = Parameters<typeof lazyRouteComponent>[0];

/** @param name The page's component in its module. */
function page(path: string, load: Load, name: string) {
  return createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: (search: Record<string, unknown>) => search as Record<string, string>,
    component: lazyRouteComponent(() => loadPage(load), name as never),
  });
}

const PAGES = [
  page('/', () => import('../pages/overview/overview.tsx'), 'Overview'),
  page('/contributions', () => import('../pages/contributions/contribution-list.tsx'), 'ContributionList'),
  page(
    '/contributions/$partnerId/$transactionId',
    () => import('../pages/contributions/contribution-page.tsx'),
    'ContributionPage',
  ),
  page('/reviews', () => import('../pages/reviews/review-list.tsx'), 'ReviewList'),
  page('/reviews/$partnerId/$transactionId', () => import('../pages/reviews/review-page.tsx'), 'ReviewPage'),
  page('/adjustments', () => import('../pages/adjustments/adjustment-list.tsx'), 'AdjustmentList'),
  page('/adjustments/$partnerId/$adjustmentId', () => import('../pages/adjustments/adjustment-page.tsx'), 'AdjustmentPage'),
  page('/webhooks', () => import('../pages/webhooks/endpoint-list.tsx'), 'EndpointList'),
  page('/webhooks/$partnerId/$endpointId', () => import('../pages/webhooks/endpoint-page.tsx'), 'EndpointPage'),
  page('/webhooks/$partnerId/deliveries/$deliveryId', () => import('../pages/webhooks/delivery-page.tsx'), 'DeliveryPage'),
  page('/events/$partnerId/$eventId', () => import('../pages/events/event-page.tsx'), 'EventPage'),
  page('/settlements', () => import('../pages/settlements/settlement-list.tsx'), 'SettlementList'),
  page('/settlements/$partnerId/$settlementId', () => import('../pages/settlements/settlement-page.tsx'), 'SettlementPage'),
  page('/failures', () => import('../pages/failures/failure-list.tsx'), 'FailureList'),
  page('/estimates/$partnerId/$calculationId', () => import('../pages/estimates/estimate-page.tsx'), 'EstimatePage'),
  page('/account', () => import('../pages/account/account-page.tsx'), 'AccountPage'),
  page('/closings', () => import('../pages/closings/closing-list.tsx'), 'ClosingList'),
  page('/reconciliations', () => import('../pages/reconciliations/reconciliation-list.tsx'), 'ReconciliationList'),
  page('/reconciliations/new', () => import('../pages/reconciliations/new-reconciliation.tsx'), 'NewReconciliation'),
  page(
    '/reconciliations/$partnerId/$reconciliationId',
    () => import('../pages/reconciliations/reconciliation-page.tsx'),
    'ReconciliationPage',
  ),
  page('/partners', () => import('../pages/partners/partner-list.tsx'), 'PartnerList'),
  page('/partners/new', () => import('../pages/partners/set-up/set-up-page.tsx'), 'PartnerSetUp'),
  page('/partners/$partnerId/set-up', () => import('../pages/partners/set-up/set-up-page.tsx'), 'PartnerSetUp'),
  page('/partners/$partnerId', () => import('../pages/partners/partner-page.tsx'), 'PartnerPage'),
  page('/impact', () => import('../pages/impact/batch-list.tsx'), 'BatchList'),
  page('/impact/new', () => import('../pages/impact/new-batch.tsx'), 'NewBatch'),
  page('/impact/$batchId', () => import('../pages/impact/batch-page.tsx'), 'BatchPage'),
  page('/rules', () => import('../pages/rules/rule-list.tsx'), 'RuleList'),
  page('/rules/new', () => import('../pages/rules/new-rule.tsx'), 'NewRule'),
  page('/jobs', () => import('../pages/jobs/job-page.tsx'), 'JobPage'),
  page('/operators', () => import('../pages/operators/operator-list.tsx'), 'OperatorList'),
  page('/audit', () => import('../pages/audit/audit-list.tsx'), 'AuditList'),
];

export const router = createRouter({
  routeTree: root.addChildren(PAGES),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: BrokenPage,
  // What is typed or asked for about one record is about no other.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
});
