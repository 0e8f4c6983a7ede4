<?php

/** `$server` is PHP's `$_SERVER`, which has the headers; `$body` is as it arrived: `file_get_contents('php://input')`. */
function is_from_service(string $secret, array $server, string $body, ?int $now = null): bool
{
    $timestamp = $server['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
    if (!preg_match('/^[0-9]{1,15}$/D', $timestamp) || abs(($now ?? time()) - (int) $timestamp) > 300) {
        return false;
    }
    $expected = 'v1=' . hash_hmac('sha256', "$timestamp.$body", $secret);
    return hash_equals($expected, $server['HTTP_X_SERVICE_SIGNATURE'] ?? '')
        || hash_equals($expected, $server['HTTP_X_SERVICE_SIGNATURE_NEXT'] ?? '');
}
