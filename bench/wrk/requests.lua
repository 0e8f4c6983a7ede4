-- What each scenario sends. Identifiers are computed as in bench/rows/identifiers.ts, bodies as in bench/load/requests.ts.

local token = os.getenv("BENCH_TOKEN")
local known_token = os.getenv("BENCH_KNOWN_TOKEN")
local known_count = tonumber(os.getenv("BENCH_KNOWN_COUNT"))
local replay_token = os.getenv("BENCH_REPLAY_TOKEN")
local replay_count = tonumber(os.getenv("BENCH_REPLAY_COUNT"))
local format = string.format

local CONTRIBUTIONS = "/v1/impact-transactions"
local ESTIMATES = "/v1/emissions/estimates"
-- Of several partners the number of a request, or of the row that it asks for, says whose turn it is.
local heads = {}
for key in os.getenv("BENCH_API_KEYS"):gmatch("[^,]+") do
  heads[#heads + 1] = "Host: 127.0.0.1\r\nX-API-Key: " .. key .. "\r\n"
end
local function head_of(n) return heads[n % #heads + 1] end

local function spread(n) return format("%08x", (n * 69069019) % 4294967296) end
local function event_id(of, n) return format("evt-%s-%s-%010d", spread(n), of, n) end
local function order_ref(of, n) return format("order-%s-%010d", of, n) end
local function idempotency_key(of, n) return format("%s-%s-key-%012d", spread(n), of, n) end
local function transaction_id(of, n) return format("txn_00%s%015d", of, n) end
local function calculation_id(of, n) return format("calc_00%s%015d", of, n) end

-- wrk.format builds its headers from a table each time; one string costs a third of that.
local function get(path, n) return "GET " .. path .. " HTTP/1.1\r\n" .. head_of(n) .. "\r\n" end

local function post(path, n, key, body)
  return format(
    "POST %s HTTP/1.1\r\n%sIdempotency-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
    path, head_of(n), key, #body, body)
end

local function confirm_body(of, n, more)
  return format(
    '{"partner_event_id":"%s","partner_order_ref":"%s","points":250,"opaque_customer_ref":"customer-%08d"%s}',
    event_id(of, n), order_ref(of, n), n % 100000000, more)
end

local function confirm(n) return post(CONTRIBUTIONS, n, idempotency_key(token, n), confirm_body(token, n, "")) end

local function estimate(n)
  local body = format(
    '{"partner_order_ref":"%s","distance_km":"12.345","distance_unit":"km","vehicle_category":"car_gasoline"}',
    order_ref(token, n))
  return post(ESTIMATES, n, idempotency_key(token, n), body)
end

local function lookup_by_event()
  local n = math.random(known_count)
  return get(CONTRIBUTIONS .. "?partner_event_id=" .. event_id(known_token, n), n)
end

return {
  confirm = confirm,
  ["confirm-with-calculation"] = function(n)
    local more = format(',"calculation_id":"%s"', calculation_id(token, n))
    return post(CONTRIBUTIONS, n, idempotency_key(token, n), confirm_body(token, n, more))
  end,
  estimate = estimate,
  ["lookup-by-event"] = lookup_by_event,
  ["lookup-by-id"] = function()
    local n = math.random(known_count)
    return get(CONTRIBUTIONS .. "/" .. transaction_id(known_token, n), n)
  end,
  replay = function()
    local n = math.random(replay_count)
    return post(CONTRIBUTIONS, n, idempotency_key(replay_token, n), confirm_body(replay_token, n, ""))
  end,
  mix = function(n)
    local place = n % 10
    if place < 6 then return confirm(n) end
    if place < 9 then return lookup_by_event() end
    return estimate(n)
  end,
}
