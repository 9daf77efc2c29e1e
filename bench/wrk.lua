-- Sends the requests of a file one after the other, each on the first connection that is free. The file has for each
-- request its length on a line, its signature of 64 characters, and its body. Prints the result as JSON.

local requests, sent = {}, 0
local pauseMs = tonumber(os.getenv("BENCH_PAUSE_MS"))

function init(args)
  local file = assert(io.open(args[1], "rb"))
  local headers = { ["Content-Type"] = "application/json" }
  for line in file:lines() do
    local text = file:read(tonumber(line))
    file:read(1)
    headers["X-REQUEST-SIGN"] = text:sub(1, 64)
    for i = 2, #args, 2 do headers[args[i]] = args[i + 1] end
    requests[#requests + 1] = wrk.format("POST", nil, headers, text:sub(65))
  end
end

function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end

-- Each connection then waits between an answer and its next request, so that the load does not depend on the answers.
if pauseMs then
  function delay() return pauseMs end
end

function done(summary, latency)
  io.write(string.format('{"requests":%d,"durationUs":%d,"refused":%d,"broken":%d,"p50Us":%d,"p99Us":%d}',
    summary.requests, summary.duration, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
