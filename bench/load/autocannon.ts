import autocannon, { type Instance } from 'autocannon';
import type { LoadOutcome, LoadRequest } from './load.ts';
import { REQUESTS } from './requests.ts';

/**
 * Where wrk is missing. It sends a fifth of what wrk does with the same processor time, from this process, and knows its
 * latencies in whole milliseconds: the figures are lower then, and so are those of the constant route beside them.
 */
export async function loadByAutocannon(request: LoadRequest, signal: AbortSignal): Promise<LoadOutcome> {
  const { baseUrl, scenario, connections, seconds, ratePerSecond } = request;
  const make = REQUESTS[scenario];
  let number = 0;
  const instance = autocannon({
    url: baseUrl,
    connections,
    duration: seconds,
    timeout: 10,
    ...(ratePerSecond !== undefined && { overallRate: Math.round(ratePerSecond) }),
    requests: [
      {
        setupRequest(draft) {
          const { method, path, headers, body } = make(request, ++number);
          return { ...draft, method, path, headers: { ...headers }, body };
        },
      },
    ],
  });
  const result = await stoppedBy(signal, instance);
  const { p50, p90, p99, max } = result.latency;
  const statuses = Object.entries(result.statusCodeStats).map(([status, { count }]) => [status, count]);
  return {
    seconds: result.duration,
    statuses: Object.fromEntries(statuses),
    unanswered: result.errors,
    late: undefined,
    p50Ms: p50,
    p90Ms: p90,
    p99Ms: p99,
    maxMs: max,
  };
}

async function stoppedBy(signal: AbortSignal, instance: Instance) {
  const stop = () => instance.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await instance;
  } finally {
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
  }
}
