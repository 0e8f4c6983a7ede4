import { buildPartnerApi } from '../app.ts';
import { StoppableUploads } from '../http/transfers/stoppable-uploads.ts';
import { buildDocument, collectRoutes, writeDocument } from './build-document.ts';

/** The text of `openapi/partner.json`, written from the routes: nothing listens, and no database is needed. */
export async function renderPartnerDocument(): Promise<string> {
  const unreachable = () => Promise.reject(new Error('The document is built without a service.'));
  const unreachableAll = new Proxy({} as never, { get: () => unreachable });
  const { app } = await buildPartnerApi({
    uploads: new StoppableUploads(),
    environment: 'sandbox',
    operations: {
      confirmContribution: unreachable,
      getContribution: { byId: unreachable, byPartnerEventId: unreachable },
      createDeliveryEmissionsEstimate: unreachable,
      getDeliveryEmissionsEstimate: unreachable,
      associateEmissionsEstimate: unreachable,
      readEvents: { page: unreachable, byId: unreachable },
      readSettlements: {
        page: unreachable,
        byId: unreachable,
        lines: unreachable,
        statement: unreachable,
        openTotals: unreachable,
      },
      acknowledgeSettlement: unreachable,
      reconcileSettlement: { take: unreachable, byId: unreachable, lines: unreachable },
      answerOnce: unreachable,
      getPartnerAndRules: unreachable,
      listContributions: unreachable,
      applyScenario: { isRefused: unreachable, confirm: unreachable, estimate: unreachable },
      readEnvironmentalStatus: { ofContribution: unreachable, transactions: unreachable },
    },
    sandbox: unreachableAll,
    readiness: unreachableAll,
    databaseOf: unreachableAll,
    endpointTools: unreachableAll,
    usage: unreachableAll,
    authenticate: Object.assign(unreachable, { knownCaller: () => undefined, isSuspect: () => false }),
    servesReference: false,
    watchRoutes: collectRoutes,
    trustedProxies: [],
    processes: 1,
    onAnswer: () => {},
    onLimit: () => {},
    onUnexpectedError: () => {},
  });
  const document = buildDocument(app);
  await app.close();
  return writeDocument(document);
}
