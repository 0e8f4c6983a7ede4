import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '' } = process.env;
// An error of `fetch` would show the key.
if (!/^[!-~]*$/.test(API_KEY)) {
  console.error('API_KEY is not a key: it has a line end, or a character that no key has');
  process.exit(1);
}
const [transactionId = '', orderRef = '', distanceKm = '', vehicle = '', attempt = '1'] = process.argv.slice(2);

interface Answer {
  error: { code: string; message: string; retryable: boolean };
  estimate: { calculation_id: string; display: { formatted_en: string; formatted_ar: string } };
  association: { status: string };
}

/** Sends the same request with the same key again while no answer comes or the service asks to wait, ten minutes at most: ten requests in all. */
async function post(path: string, key: string, fields: object): Promise<Answer> {
  const headers = { 'X-API-Key': API_KEY, 'Idempotency-Key': `${key}-${attempt}`, 'Content-Type': 'application/json' };
  for (let requestsLeft = 9; ; requestsLeft--) {
    let [problem, isRetryable, pauseSeconds] = ['no_answer', true, 1];
    try {
      const init = { method: 'POST', headers, body: JSON.stringify(fields), redirect: 'error' } as const;
      const response = await fetch(BASE_URL + path, { ...init, signal: AbortSignal.timeout(30_000) });
      problem = `no_answer: HTTP ${response.status}`;
      const answer = (await response.json()) as Answer;
      if (response.ok) return answer;
      const { code, message, retryable } = answer.error;
      [problem, isRetryable] = [`${code}: ${message}`, retryable];
      pauseSeconds = Number(response.headers.get('Retry-After')) || 1;
    } catch (error) {
      if (problem === 'no_answer') problem += `: ${(error as Error).cause ?? error}`;
    }
    if (!isRetryable || requestsLeft === 0 || pauseSeconds > 600) {
      console.error(problem);
      process.exit(1);
    }
    await sleep(pauseSeconds * 1000);
  }
}

// The distance stays text and the figures come as text: a decimal keeps all its digits.
const delivery = { partner_order_ref: orderRef, distance_km: distanceKm, distance_unit: 'km', vehicle_category: vehicle };
const { estimate } = await post('/v1/emissions/estimates', `estimate-${transactionId}`, delivery);
console.log(estimate.display.formatted_en);
console.log(estimate.display.formatted_ar);

const path = `/v1/impact-transactions/${encodeURIComponent(transactionId)}/emissions-associations`;
const { association } = await post(path, `link-${transactionId}`, { calculation_id: estimate.calculation_id });
console.log(association.status, estimate.calculation_id);
