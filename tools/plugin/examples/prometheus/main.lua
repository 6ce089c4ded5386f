-- The server is asked by curl on the host on which nod works: it is reached from there, and
-- the command is judged and recorded like any other.
local function quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

nod.register_tool{
  name = "prometheus", risk = "low",
  description = "Ask Prometheus for the present values of a PromQL expression, such as up == 0.",
  parameters = {
    type = "object", required = {"query"},
    properties = {query = {type = "string", description = "a PromQL expression"}},
  },
  execute = function(args)
    local result, why = nod.exec("curl -sS -G --max-time 10 --data-urlencode " .. quoted("query=" .. args.query) ..
      " " .. quoted(nod.config.url .. "/api/v1/query"))
    if not result then return nil, why end
    local answer, broken = nod.json.decode(result.stdout)
    if not answer then return nil, "the answer is not JSON: " .. broken end
    if answer.status ~= "success" then return nil, answer.error or "the query failed" end
    local series = {}
    for i, s in ipairs(answer.data.result) do
      if i > nod.config.most then break end
      series[i] = {labels = s.metric, value = s.value[2]}
    end
    return {series = series, of = #answer.data.result}
  end,
}
