-- One load for wrk: sends what BENCH_SCENARIO says and prints one line of JSON at the end.

local requests = dofile(os.getenv("BENCH_WRK_DIRECTORY") .. "requests.lua")
local thread_count = tonumber(os.getenv("BENCH_THREADS"))
local rate_per_second = tonumber(os.getenv("BENCH_RATE_PER_SECOND"))

local make = requests[os.getenv("BENCH_SCENARIO")]
local threads = {}
local number

function setup(thread)
  threads[#threads + 1] = thread
  thread:set("thread_index", #threads)
end

function init()
  math.randomseed(os.time() * 31 + thread_index)
  -- The threads take turns, so that no number is sent twice; wrk itself calls request() once before it begins.
  number = thread_index - thread_count
  statuses = {}
  late = 0
end

function request()
  number = number + thread_count
  return make(number)
end

function response(status)
  statuses[status] = (statuses[status] or 0) + 1
end

-- A fixed rate, however fast the answers come: each request has its moment, and a free connection takes the next one.
-- Where none is free in time the rate would be a lie, so what is late is counted, and belongs to the slowest of the percentiles.
if rate_per_second then
  local ffi = require("ffi")
  ffi.cdef("typedef struct { long seconds; long nanoseconds; } bench_time; int clock_gettime(int, bench_time *);")
  local time = ffi.new("bench_time")
  local MONOTONIC = 1
  local LATE_MS = 5
  local due_ms

  local function now_ms()
    ffi.C.clock_gettime(MONOTONIC, time)
    return tonumber(time.seconds) * 1e3 + tonumber(time.nanoseconds) / 1e6
  end

  function delay()
    local now = now_ms()
    due_ms = due_ms and due_ms + 1e3 * thread_count / rate_per_second or now
    if due_ms < now - LATE_MS then late = late + 1 end
    return math.max(0, math.floor(due_ms - now))
  end
end

function done(summary, latency)
  local counts, late_sum = {}, 0
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("statuses")) do counts[status] = (counts[status] or 0) + count end
    late_sum = late_sum + thread:get("late")
  end
  local listed = {}
  for status, count in pairs(counts) do listed[#listed + 1] = string.format('"%d":%d', status, count) end
  local errors = summary.errors
  local on_time = math.max(1, summary.requests - late_sum) / math.max(1, summary.requests)
  local function percentile(share) return latency:percentile(math.min(99.999, share / on_time)) / 1e3 end
  io.write(string.format(
    'BENCH {"seconds":%.6f,"statuses":{%s},"unanswered":%d,"late":%d,"p50Ms":%.3f,"p90Ms":%.3f,"p99Ms":%.3f,"maxMs":%.3f}\n',
    summary.duration / 1e6, table.concat(listed, ","), errors.connect + errors.read + errors.write + errors.timeout, late_sum,
    percentile(50), percentile(90), percentile(99), latency.max / 1e3))
end
