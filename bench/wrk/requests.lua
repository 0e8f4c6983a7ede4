-- What each scenario sends. Identifiers are computed as in bench/rows/identifiers.ts, bodies as in bench/load/requests.ts.

local api_key = os.getenv("BENCH_API_KEY")
local token = os.getenv("BENCH_TOKEN")
local known_token = os.getenv("BENCH_KNOWN_TOKEN")
local known_count = tonumber(os.getenv("BENCH_KNOWN_COUNT"))
local replay_token = os.getenv("BENCH_REPLAY_TOKEN")
local replay_count = tonumber(os.getenv("BENCH_REPLAY_COUNT"))
local format = string.format

local CONTRIBUTIONS = "/v1/impact-transactions"
local ESTIMATES = "/v1/emissions/estimates"
local HEAD = "Host: 127.0.0.1\r\nX-API-Key: " .. api_key .. "\r\n"

local function spread(n) return format("%08x", (n * 69069019) % 4294967296) end
local function event_id(of, n) return format("evt-%s-%s-%010d", spread(n), of, n) end
local function order_ref(of, n) return format("order-%s-%010d", of, n) end
local function idempotency_key(of, n) return format("%s-%s-key-%012d", spread(n), of, n) end
local function transaction_id(of, n) return format("txn_00%s%015d", of, n) end
local function calculation_id(of, n) return format("calc_00%s%015d", of, n) end

-- wrk.format builds its headers from a table each time; one string costs a third of that.
local function get(path) return "GET " .. path .. " HTTP/1.1\r\n" .. HEAD .. "\r\n" end

local function post(path, key, body)
  return format(
    "POST %s HTTP/1.1\r\n%sIdempotency-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
    path, HEAD, key, #body, body)
end

local function confirm_body(of, n, more)
  return format(
    '{"partner_event_id":"%s","partner_order_ref":"%s","points":250,"opaque_customer_ref":"customer-%08d"%s}',
    event_id(of, n), order_ref(of, n), n % 100000000, more)
end

local function confirm(n) return post(CONTRIBUTIONS, idempotency_key(token, n), confirm_body(token, n, "")) end

local function estimate(n)
  local body = format(
    '{"partner_order_ref":"%s","distance_km":"12.345","distance_unit":"km","vehicle_category":"car_gasoline"}',
    order_ref(token, n))
  return post(ESTIMATES, idempotency_key(token, n), body)
end

local function lookup_by_event() return get(CONTRIBUTIONS .. "?partner_event_id=" .. event_id(known_token, math.random(known_count))) end

return {
  confirm = confirm,
  ["confirm-with-calculation"] = function(n)
    local more = format(',"calculation_id":"%s"', calculation_id(token, n))
    return post(CONTRIBUTIONS, idempotency_key(token, n), confirm_body(token, n, more))
  end,
  estimate = estimate,
  ["lookup-by-event"] = lookup_by_event,
  ["lookup-by-id"] = function() return get(CONTRIBUTIONS .. "/" .. transaction_id(known_token, math.random(known_count))) end,
  replay = function()
    local n = math.random(replay_count)
    return post(CONTRIBUTIONS, idempotency_key(replay_token, n), confirm_body(replay_token, n, ""))
  end,
  mix = function(n)
    local place = n % 10
    if place < 6 then return confirm(n) end
    if place < 9 then return lookup_by_event() end
    return estimate(n)
  end,
}
