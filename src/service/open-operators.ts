import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { PasswordCosts } from '../domain/access/password.ts';
import type { Log } from '../observability/log.ts';
import type { OperatorCounts } from '../observability/operator-metrics.ts';
import { throttled } from '../observability/throttled.ts';
import type { OperatorApi, WaitedFor } from '../operator-api/app.ts';
import type { Database } from '../store/database.ts';
import { openWebConsole } from '../web-console/web-console.ts';
import { callPartnerApi } from './call-partner-api.ts';
import { endInTime, openUploads } from './end-in-time.ts';
import { openJobTools } from './job-tools.ts';
import { openConfiguredSecretBox } from './keys/configured-keys.ts';
import { configuredSettlementTools } from './keys/configured-seals.ts';
import { once } from './once.ts';
import { openEndpointTools } from './open-sandbox.ts';

/** People wait for each other rather than partners for people. */
const OPERATOR_POOL_SIZE = 4;

/** The time that uploads have left at a stop, and requests before they are cut. Partners' requests end after it, within the same ten seconds. */
const GRACE_MS = 250;
const ANSWERS_MS = 750;

export interface OperatorsOptions {
  /** The address of the partners' interface, once it listens. */
  readonly baseUrl: () => string;
  readonly log: Log;
  readonly counts: OperatorCounts;
  /** Closed by whoever gave it. */
  openPool(size: number): Database;
  readonly passwordCosts?: PasswordCosts | undefined;
}

export interface Operators extends OperatorApi {
  /** Waits for the jobs that operators have begun, and `close` has stopped: a few seconds, for which no partner waits. */
  jobsEnded(): Promise<void>;
}

/** The console and the interface of operators behind it, with connections of its own. */
export async function openOperators(
  config: Config,
  { log, openPool, baseUrl, counts, passwordCosts }: OperatorsOptions,
): Promise<Operators> {
  const parts = new AsyncDisposableStack();
  const database = openPool(OPERATOR_POOL_SIZE);
  const stop = new AbortController();
  const { uploads, end } = openUploads(log, 'operators');
  const underWay = new RequestsUnderWay();
  const warnBusy = throttled((err, times, waitedFor: WaitedFor) =>
    log.logger.warn({ err, times }, `requests of operators waited in vain for a ${waitedFor} and were answered with 503`),
  );
  const jobs = openJobTools(database, config, { log, stop: stop.signal });
  const jobsEnded = once(endInTime(jobs));
  const endpointTools = openEndpointTools(database, config, Date.now, parts);
  const build = async (): Promise<OperatorApi> => {
    const { buildOperatorApi } = await import('../operator-api/app.ts');
    return buildOperatorApi({
      database,
      passwordCosts,
      environment: config.environment,
      endpointTools,
      settlementTools: configuredSettlementTools(config),
      reviewExpiryHours: config.reviewExpiryHours,
      eventDays: config.eventDays,
      callPartnerApi: callPartnerApi(baseUrl),
      jobs,
      uploads,
      sealing: (context) => ({
        seal: (text) => openConfiguredSecretBox(config).seal(context, text),
        open: (sealed) => openConfiguredSecretBox(config).open(context, sealed),
        isOfFirstKey: (sealed) => openConfiguredSecretBox(config).isOfFirstKey(sealed),
      }),
      onBusy(error, waitedFor) {
        counts.countRefused(waitedFor);
        warnBusy(error, waitedFor);
      },
      onSignInRefused: counts.countSignInRefused,
      onUnexpectedError: throttled((err, times, correlation_id: string) =>
        log.logger.error({ correlation_id, err, times }, 'unexpected error'),
      ),
    });
  };
  // Opened for the first request: after a crash partners wait for the start, and they do not need it.
  let api: Promise<OperatorApi> | undefined;
  const showConsole = openWebConsole();
  return {
    handle(request, response) {
      if (showConsole(request, response)) return;
      underWay.add(response);
      api ??= build();
      const opening = api;
      opening.then(
        ({ handle }) => handle(request, response),
        (err: unknown) => {
          // The next request tries again: the cause may be gone, such as a lack of open files.
          if (api === opening) api = undefined;
          log.logger.error({ err }, 'the interface of operators could not be opened');
          response.writeHead(500).end();
        },
      );
    },
    async close() {
      stop.abort();
      await underWay.ended(GRACE_MS);
      end();
      await underWay.ended(ANSWERS_MS);
      await (await api?.catch(() => undefined))?.close();
      // Now that none begins any more, their time runs.
      void jobsEnded();
      await parts.disposeAsync();
    },
    jobsEnded,
  };
}

/** The requests that are not answered yet: what closes under them would fail them. */
class RequestsUnderWay {
  readonly #answers = new Set<Promise<void>>();

  add(response: ServerResponse): void {
    const answered = new Promise<void>((resolve) => {
      // A client that goes on sending keeps its connection.
      response.once('finish', resolve).once('close', resolve);
    }).finally(() => this.#answers.delete(answered));
    this.#answers.add(answered);
  }

  /** Resolves when those of now are answered, or after so many milliseconds. */
  async ended(ms: number): Promise<void> {
    await Promise.race([Promise.all(this.#answers), sleep(ms, undefined, { ref: false })]);
  }
}
