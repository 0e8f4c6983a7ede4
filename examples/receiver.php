<?php

// A receiver of webhooks with the extension curl alone: verifies the bytes, stores each event once, answers, handles in order.
//
// Served, by PHP-FPM or `php -S 127.0.0.1:9000 receiver.php`, it receives. Run as `php receiver.php` it catches up with what it missed:
// let cron do that every few minutes. INBOX is a folder outside of what the web server shows: an event is the file of its sequence, so that
// one which arrives twice is stored once. The file "position" has the sequence of the last handled event. What a handler does must be safe
// to repeat, because the process may end before the position is written: here a restoration is a file of its partner_event_id. PHP cannot
// sync a folder, so that a power failure may lose a file; where you have a database, keep all of it there, in one transaction. Sandbox and
// production each need an INBOX of their own, because both count their sequences from 1: the file "environment" names the one of the first
// event, and an event of the other one is answered 400; so is every event where it names both.

declare(strict_types=1);

const BODY_BYTES_MAX = 1_048_576;

/** Whether one of the secrets signed these bytes in the last five minutes. */
function is_from_service(string $body): bool
{
    $timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
    if (!preg_match('/^[0-9]{1,15}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    foreach (preg_split('/\s+/', setting('SECRETS'), -1, PREG_SPLIT_NO_EMPTY) as $secret) {
        $expected = 'v1=' . hash_hmac('sha256', "$timestamp.$body", $secret);
        foreach (['HTTP_X_SERVICE_SIGNATURE', 'HTTP_X_SERVICE_SIGNATURE_NEXT'] as $name) {
            if (hash_equals($expected, $_SERVER[$name] ?? '')) {
                return true;
            }
        }
    }
    return false;
}

/** Answers when the event is stored, and handles it afterwards. */
function receive(): void
{
    $body = (string) file_get_contents('php://input', false, null, 0, BODY_BYTES_MAX + 1);
    if ($_SERVER['REQUEST_METHOD'] !== 'POST' || strlen($body) > BODY_BYTES_MAX) {
        answer(400);
        return;
    }
    $event = decode($body);
    $challenge = $event->data->challenge ?? null;
    // The endpoint is added before anybody knows its secret; a challenge asks for nothing but its own words.
    if (($event->event_type ?? null) === 'webhook.endpoint.verification' && is_string($challenge) && preg_match('/^[\w-]{16,128}$/D', $challenge)) {
        answer(200, ['challenge' => $challenge]);
        return;
    }
    if (!is_from_service($body)) {
        answer(401);
        return;
    }
    $sequence = $event->sequence ?? null;
    if (!is_int($sequence)) { // a test or a sample: it is answered, and nothing is booked
        answer(200);
        return;
    }
    if (!is_of_inbox($event)) {
        error_log(other_environment($event));
        answer(400);
        return;
    }
    store(file_of($sequence), $body);
    answer(200);
    handle_alone($sequence, LOCK_EX | LOCK_NB);
}

/** An inbox has the events of one environment, that of the first event that it stored. */
function is_of_inbox(object $event): bool
{
    if (!is_file(file_of_environment())) {
        enter_environment($event);
    }
    return file_get_contents(file_of_environment()) === $event->environment;
}

/**
 * Of several at the same time one enters it. An earlier form of this program entered none, and stored events of both, those of the one in
 * place of the other's: then it is both.
 */
function enter_environment(object $event): void
{
    $lock = fopen(setting('INBOX') . '/environment-lock', 'c');
    flock($lock, LOCK_EX);
    if (!is_file(file_of_environment())) {
        $found = [];
        foreach (glob(setting('INBOX') . '/*.json') as $file) {
            $found[] = decode((string) file_get_contents($file))->environment ?? '';
        }
        $environments = array_unique($found ?: [$event->environment]);
        sort($environments);
        store(file_of_environment(), implode(' and ', $environments));
    }
    fclose($lock);
}

function file_of_environment(): string
{
    return setting('INBOX') . '/environment';
}

function other_environment(object $event): string
{
    $own = file_get_contents(file_of_environment());
    return "event $event->sequence is of $event->environment, and INBOX of $own: each environment needs its own";
}

/** An exception before this leaves the answer 500, and the service sends the event again. */
function answer(int $status, array $body = []): void
{
    $content = json_encode((object) $body, JSON_THROW_ON_ERROR);
    http_response_code($status);
    header('Content-Type: application/json');
    header('Content-Length: ' . strlen($content));
    echo $content;
    ignore_user_abort(true);
    function_exists('fastcgi_finish_request') ? fastcgi_finish_request() : flush();
}

/**
 * Of several at the same time one handles, and sees to what the others stored. A request does not wait for it: all workers of PHP-FPM would
 * wait while cron catches up. What waits for an event before it, which no request asked for, is fetched by cron.
 */
function handle_alone(int $upTo, int $lock): void
{
    $failure = null;
    do {
        $file = fopen(setting('INBOX') . '/lock', 'c');
        if (!flock($file, $lock)) {
            break;
        }
        try {
            enter_restorations();
            $failure = handle_next($upTo);
        } finally {
            fclose($file);
        }
    } while (is_file(file_of(position() + 1))); // stored after the last look, by a request that found the lock held
    if ($failure) {
        throw $failure;
    }
}

/**
 * Handles the events that follow the position, one after the other. One before `$upTo` that is missing comes from the feed, or is delivered
 * while the feed fails. Returns why the feed gave no event that is missing still.
 */
function handle_next(int $upTo): ?Throwable
{
    while (true) {
        $failure = null;
        if (!is_file(file_of(position() + 1)) && position() + 1 < $upTo) {
            try {
                fetch_page(position());
            } catch (Throwable $failure) {
            }
        }
        $next = position() + 1;
        if (!is_file(file_of($next))) {
            return $failure;
        }
        handle(decode((string) file_get_contents(file_of($next))));
        store(setting('INBOX') . '/position', (string) $next);
    }
}

/**
 * Gives points back after a failure alone, once for its partner_event_id. The points are those that are recorded. Beside a wallet: run the
 * same update as the job of the guide, which sets the status of contribution_intent, and give the points back only if it changed a row,
 * because the job may have learned of the failure first. Give nothing back, and tell a person, where the wallet deducted others for this
 * partner_event_id, or none, or where the row is confirmed.
 */
function handle(object $event): void
{
    $failed = failure_of($event);
    if ($failed && !is_file(restoration_of($failed)) && !is_file(setting('INBOX') . "/$failed->transaction_id")) {
        restore($failed);
    }
}

/**
 * Stores once by partner_event_id what an earlier form of this program gave back, in a file with the transaction_id as its name: the stored
 * event has both ids.
 */
function enter_restorations(): void
{
    $isEntered = setting('INBOX') . '/earlier-restorations-are-entered';
    if (is_file($isEntered)) {
        return;
    }
    foreach (glob(setting('INBOX') . '/*.json') as $file) {
        $failed = failure_of(decode((string) file_get_contents($file)));
        if ($failed && !is_file(restoration_of($failed)) && is_file(setting('INBOX') . "/$failed->transaction_id")) {
            restore($failed);
        }
    }
    store($isEntered, '');
}

/** The contribution whose points an event lets give back, or null. */
function failure_of(object $event): ?object
{
    $data = $event->data;
    if ($event->event_type !== 'impact.transaction.adjusted' || $data->change !== 'failed' || $data->point_restoration_authorized !== true) {
        return null;
    }
    return $data->contribution;
}

/** The hash, because an id may be as long as no name of a file, and differ from another by its case alone. */
function restoration_of(object $failed): string
{
    return setting('INBOX') . '/restored-' . hash('sha256', $failed->partner_event_id);
}

function restore(object $failed): void
{
    $restored = ['partner_event_id' => $failed->partner_event_id, 'transaction_id' => $failed->transaction_id, 'points' => $failed->points];
    store(restoration_of($failed), json_encode($restored, JSON_THROW_ON_ERROR));
}

/** Stores the next events after a sequence: what came while nobody listened, or is still on its way. */
function fetch_page(int $after): void
{
    if (!preg_match('/^[!-~]+$/D', setting('API_KEY'))) { // a line end would begin another header
        throw new RuntimeException('API_KEY is not a key: it has a line end, or a character that no key has');
    }
    $handle = curl_init(setting('BASE_URL') . "/v1/events?after_sequence=$after&limit=500");
    $headers = ['X-API-Key: ' . setting('API_KEY')];
    curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 15, CURLOPT_HTTPHEADER => $headers]);
    $page = decode((string) curl_exec($handle));
    $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
    if ($status !== 200 || !is_array($page->events ?? null)) {
        throw new RuntimeException("GET /v1/events: HTTP $status " . ($page->error->code ?? curl_error($handle)));
    }
    foreach ($page->events as $event) {
        if (!is_of_inbox($event)) {
            throw new RuntimeException(other_environment($event));
        }
        if ($event->sequence > $after + 1) {
            skip_removed($after, $event->sequence);
        }
        store(file_of($event->sequence), json_encode($event, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE));
        $after = $event->sequence;
    }
}

/**
 * Passes over the sequences that the feed does not have: the service removes events after 90 days, and leaves numbers out after it was
 * restored from a backup.
 */
function skip_removed(int $after, int $first): void
{
    $last = $first - 1;
    foreach (glob(setting('INBOX') . '/*.json') as $file) {
        $sequence = (int) basename($file, '.json');
        if ($sequence > $after && $sequence <= $last) {
            $last = $sequence - 1;
        }
    }
    if ($last > $after && position() === $after) {
        $reason = 'the service removed them after its time, or was restored and left the numbers out.';
        error_log('There are no events from ' . ($after + 1) . " to $last: $reason");
        store(setting('INBOX') . '/position', (string) $last);
    }
}

/** Where a new inbox begins: before the first event, or after START_AFTER. */
function position(): int
{
    $file = setting('INBOX') . '/position';
    if (!file_exists($file)) {
        return (int) setting('START_AFTER');
    }
    $sequence = (string) file_get_contents($file);
    if (!preg_match('/^[0-9]+$/D', $sequence)) {
        throw new RuntimeException("$file could not be read.");
    }
    return (int) $sequence;
}

function file_of(int $sequence): string
{
    return sprintf('%s/%019d.json', setting('INBOX'), $sequence);
}

/** Leaves the whole file or none. */
function store(string $path, string $bytes): void
{
    $new = tempnam(setting('INBOX'), 'new-');
    $file = fopen($new, 'w');
    $isWritten = fwrite($file, $bytes) === strlen($bytes) && fflush($file) && (!function_exists('fsync') || fsync($file));
    fclose($file);
    if (!$isWritten || !rename($new, $path)) {
        @unlink($new);
        throw new RuntimeException("$path could not be written.");
    }
    clearstatcache();
}

/** What is no JSON is null. A sum of points above 2**63 - 1 stays its digits, as text. */
function decode(string $text): mixed
{
    return json_decode($text, false, 512, JSON_BIGINT_AS_STRING);
}

/** PHP-FPM hands a worker the variables that its pool names: `env[INBOX] = /var/lib/receiver`. */
function setting(string $name): string
{
    return (string) getenv($name);
}

if (PHP_SAPI !== 'cli') { // without a php.ini, PHP shows an exception in place of logging it, and answers 200
    ini_set('display_errors', '0');
    ini_set('log_errors', '1');
    http_response_code(500);
}
umask(0077);
if (!is_dir(setting('INBOX')) && !@mkdir(setting('INBOX'), 0700, true)) {
    throw new RuntimeException('INBOX must name the folder of the inbox.');
}
if (PHP_SAPI === 'cli') {
    handle_alone(PHP_INT_MAX, LOCK_EX);
} else {
    receive();
}
