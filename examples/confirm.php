<?php

// Confirms a contribution and recovers from lost answers, with the extension curl of PHP alone: php confirm.php '<intent as JSON>'.
//
// The intent is a row that was stored in the transaction that deducted the points, before the first request. It prints a status, and the
// transaction_id or the code of an error. After "failed", and after nothing else, restore the points, once for this partner_event_id.
// With every other status they stay deducted: run "pending" and "unknown" again later, and "refused" seldom, until a person has settled
// what the code names; each with the same intent. Where the stored row has the other final status, as after a restore of the service,
// change nothing, and tell a person.

declare(strict_types=1);

const NO_ANSWER = [null, ['code' => 'no_answer', 'retryable' => true, 'status' => 0], 0];
// Only these refuse the contribution. A wrong key, permission or address (401, 403, 404 …) says nothing about it.
const REFUSALS = [400, 409, 422];

/**
 * @param bool $wasSent An earlier run may have sent it: then it is looked up first.
 * @param int $withinSeconds No attempt begins later. A look-up and the request that follows it are one, as are a refused request and its
 *     look-up.
 */
function confirm_contribution(array $intent, bool $wasSent = false, int $withinSeconds = 60): array
{
    if (!is_int($intent['points'])) {
        throw new TypeError('points must be an int: a float loses digits above 2**53');
    }
    $endsAt = hrtime(true) + $withinSeconds * 1_000_000_000; // nanoseconds of a clock that nobody sets
    [$step, $pauses, $refusal] = [$wasSent ? 'look_up' : 'send', 0, null];
    while (true) {
        [$contribution, $error, $retryAfter] = $step($intent);
        if ($contribution !== null) {
            return recorded($contribution, $intent);
        }
        $code = $error['code'];
        if ($step === 'look_up' && $code === 'contribution_not_found') {
            if ($refusal !== null) {
                return $refusal;
            }
            $step = 'send';
            continue;
        }
        if ($error['retryable']) {
            $pause = max($retryAfter, min(60, 2 ** $pauses++)) * (1 + mt_rand() / mt_getrandmax() / 4);
            if (hrtime(true) + $pause * 1_000_000_000 > $endsAt) {
                return ['unknown', $code];
            }
            usleep((int) ($pause * 1_000_000));
        } else {
            $refusal = [in_array($error['status'], REFUSALS, true) ? 'refused' : 'unknown', $code];
            if ($step === 'look_up') {
                return $refusal;
            }
        }
        $step = 'look_up';
    }
}

/** A record with other values is not this contribution: a person has to look. */
function recorded(array $contribution, array $intent): array
{
    foreach (['partner_event_id', 'partner_order_ref', 'points'] as $name) {
        if (($contribution[$name] ?? null) !== $intent[$name]) {
            return ['refused', 'recorded_with_other_values'];
        }
    }
    if (!in_array($contribution['status'] ?? null, ['confirmed', 'pending', 'failed'], true)) {
        return ['unknown', 'unknown_status'];
    }
    return [$contribution['status'], $contribution['transaction_id']];
}

function send(array $intent): array
{
    $fields = array_intersect_key($intent, ['partner_event_id' => 1, 'partner_order_ref' => 1, 'points' => 1]);
    if (isset($intent['calculation_id'])) { // of the estimate to link; a bad one never prevents the contribution
        $fields['calculation_id'] = $intent['calculation_id'];
    }
    $headers = ['Idempotency-Key: ' . $intent['idempotency_key'], 'Content-Type: application/json'];
    $body = json_encode($fields, JSON_THROW_ON_ERROR);
    return call('/v1/impact-transactions', [CURLOPT_POSTFIELDS => $body, CURLOPT_HTTPHEADER => $headers]);
}

function look_up(array $intent): array
{
    return call('/v1/impact-transactions?partner_event_id=' . rawurlencode($intent['partner_event_id']), []);
}

/** Contribution, error, Retry-After. What is no answer of the service is `no_answer`: the request may have been recorded. */
function call(string $path, array $options): array
{
    $retryAfter = 0;
    $options[CURLOPT_HTTPHEADER][] = 'X-API-Key: ' . getenv('API_KEY');
    $readHeader = static function ($handle, string $line) use (&$retryAfter): int {
        if (preg_match('/^retry-after: *([0-9]{1,9})\r?$/im', $line, $found)) { // names of headers arrive in lower case
            $retryAfter = (int) $found[1];
        }
        return strlen($line);
    };
    // A new handle each time: a request is never sent again by itself, and a redirection is not followed.
    $handle = curl_init(getenv('BASE_URL') . $path);
    curl_setopt_array($handle, $options + [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 10, CURLOPT_HEADERFUNCTION => $readHeader]);
    $text = curl_exec($handle);
    $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
    // An integer above 2**63 - 1, such as a sum of points, would become a float.
    $answer = is_string($text) ? json_decode($text, true, 512, JSON_BIGINT_AS_STRING) : null;
    if ($status < 300 && is_array($answer['contribution'] ?? null)) {
        return [$answer['contribution'], null, 0];
    }
    $error = $answer['error'] ?? null;
    if ($status >= 400 && is_string($error['code'] ?? null) && is_bool($error['retryable'] ?? null)) {
        return [null, ['status' => $status] + $error, $retryAfter];
    }
    return NO_ANSWER;
}

$intent = json_decode($argv[1] ?? '', true);
if (!is_array($intent)) {
    fwrite(STDERR, "usage: confirm.php '{\"partner_event_id\": …}' [was-sent]\n");
    exit(2);
}
// No header can carry another key: every request would get no answer.
if (!preg_match('/^[!-~]+$/D', (string) getenv('API_KEY'))) {
    fwrite(STDERR, "API_KEY is not a key.\n");
    exit(2);
}
$withinSeconds = filter_var(getenv('WITHIN_SECONDS'), FILTER_VALIDATE_INT); // 0 is one attempt
echo json_encode(confirm_contribution($intent, isset($argv[2]), $withinSeconds === false ? 60 : $withinSeconds)), "\n";
