<?php

// Settles the latest closed month, with the extension curl of PHP alone: php month-end.php list.csv
//
// It keeps the statement as statement.csv, compares your list with the settlement, prints the counts, and accepts the settlement if every
// line is matched, or other_settlement: that is no difference of this settlement. Otherwise it ends with status 1 and accepts nothing: a
// person reads the lines. The same list gives the same result again.
// So it does where the settlement has adjustments or carries something in, which no list of contributions has. When a person has read these lines of the
// statement and found them right, a third word accepts: php month-end.php list.csv 1 accept
// A settlement that is accepted already is compared and printed too, with status 0 if no line differs.
// After the operator corrected the settlement by an adjustment, a further attempt compares the list anew: php month-end.php list.csv 2

declare(strict_types=1);

function fail(string $problem): void
{
    fwrite(STDERR, "$problem\n");
    exit(1);
}

/** The bytes of the answer. Asks again, with the same key, while no answer comes or the service asks to wait, ten minutes at most: ten requests in all. */
function call(string $path, ?string $key = null, string $type = '', string $body = ''): string
{
    $headers = ['X-API-Key: ' . getenv('API_KEY')];
    $post = $key === null ? [] : [CURLOPT_POSTFIELDS => $body];
    array_push($headers, ...($key === null ? [] : ["Idempotency-Key: $key", "Content-Type: $type"]));
    $seconds = $type === 'text/csv' || str_ends_with($path, '.csv') ? 900 : 300; // a list or a statement may be on its way for 15 minutes
    for ($requestsLeft = 9;; $requestsLeft--) {
        $pause = 1;
        $readHeader = static function ($handle, string $line) use (&$pause): int {
            if (preg_match('/^retry-after: *([0-9]{1,9})\r?$/im', $line, $found)) { // names of headers arrive in lower case
                $pause = (int) $found[1];
            }
            return strlen($line);
        };
        $handle = curl_init(getenv('BASE_URL') . $path);
        $options = [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => $seconds, CURLOPT_HTTPHEADER => $headers, CURLOPT_HEADERFUNCTION => $readHeader];
        curl_setopt_array($handle, $post + $options);
        $bytes = curl_exec($handle);
        $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
        if (is_string($bytes) && $status >= 200 && $status < 300) {
            return $bytes;
        }
        $error = is_string($bytes) ? json_decode($bytes)->error ?? null : null;
        $isError = is_string($error->code ?? null) && is_bool($error->retryable ?? null);
        $problem = $isError ? "$error->code: $error->message" : 'no_answer: ' . ($status ? "HTTP $status" : curl_error($handle));
        if (($isError && !$error->retryable) || $requestsLeft === 0 || $pause > 600) {
            fail($problem);
        }
        sleep($isError ? $pause : 1);
    }
}

/** A sum of points above 2**63 - 1 stays its digits, as text. */
function read(string $bytes): object
{
    return json_decode($bytes, false, 512, JSON_BIGINT_AS_STRING | JSON_THROW_ON_ERROR);
}

if (!preg_match('/^[!-~]+$/D', (string) getenv('API_KEY'))) { // a line end would begin another header
    fail('API_KEY is not a key: it has a line end, or a character that no key has');
}
[$file, $attempt] = [$argv[1] ?? 'list.csv', $argv[2] ?? '1'];
$list = @file_get_contents($file);
if ($list === false) {
    fail('usage: month-end.php list.csv [attempt [accept]]');
}
// The latest comes first, and one is open.
$closed = array_values(array_filter(read(call('/v1/settlements?limit=2'))->settlements, static fn($each) => $each->status === 'closed'));
$settlement = $closed[0] ?? fail('No settlement is closed.');
$path = "/v1/settlements/$settlement->settlement_id";
$statement = call("$path/statement.csv");
if (hash('sha256', $statement) !== $settlement->statement->csv_sha256) {
    fail('The statement has another SHA-256 than its settlement names.');
}
if (file_put_contents('statement.csv', $statement) !== strlen($statement)) {
    fail('The statement could not be kept.');
}
echo "$settlement->period_label: $settlement->payable_points points are payable\n";
foreach (['adjustment_count', 'adjustment_points', 'carried_in_points', 'carried_in_amount'] as $name) {
    echo "$name ", $settlement->$name ?? '-', "\n";
}

// The same list has the same key; a corrected one has another, and so has a further attempt, after the operator corrected the settlement.
$key = "list-$settlement->settlement_id-" . substr(hash('sha256', $list), 0, 32) . "-$attempt";
$job = read(call("$path/reconciliations", $key, 'text/csv', $list))->reconciliation;
for ($seconds = 0; $job->ended_at === null; $seconds++) {
    if ($seconds === 600) {
        fail('The list is still being compared. Run this program again later: it goes on with the same list.');
    }
    sleep(1);
    $job = read(call($job->path))->reconciliation;
}
if ($job->status !== 'done') {
    fail("The list was not compared: $job->problem");
}
$counts = (array) $job->counts;
foreach ($counts as $verdict => $count) {
    echo "$verdict $count\n";
}
// It was accepted by a run before, or by hand.
$isAccepted = $settlement->acknowledgement->status === 'accepted';
// A line of another settlement is compared with that one, by its own list.
unset($counts['matched'], $counts['other_settlement']);
if (array_filter($counts) !== []) {
    fail(($isAccepted ? 'Accepted before, but the list differs' : 'Not accepted') . ": the lines are at $job->path/lines");
}
// No list of contributions has these lines of the statement: a person reads them.
$unlisted = $settlement->statement->line_count - $settlement->contribution_count;
if (!$isAccepted && $unlisted !== 0 && ($argv[3] ?? '') !== 'accept') {
    $sentence = "a list of contributions has no adjustments and nothing carried in (lines of the statement: $unlisted). Read them in statement.csv.";
    fail("Not accepted: $sentence Where they are right, run this program again with the words $file $attempt accept");
}
if (!$isAccepted) {
    call("$path/acknowledgement", "accept-$settlement->settlement_id", 'application/json', '{"status":"accepted"}');
}
echo "accepted\n";
