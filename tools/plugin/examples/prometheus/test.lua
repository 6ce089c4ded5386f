nod.exec = function(command)
  assert(command:find([['query=up{job='\''web'\''} == 0' 'http://127.0.0.1:9090/api/v1/query']], 1, true), command)
  return {stdout = [[{"status":"success","data":{"result":[{"metric":{"instance":"web-1"},"value":[1700000000,"0"]}]}}]]}
end
local r = test.tool("prometheus", {query = "up{job='web'} == 0"})
assert(r.of == 1 and r.series[1].labels.instance == "web-1" and r.series[1].value == "0")

nod.exec = function() return {stdout = [[{"status":"error","error":"bad_data"}]]} end
local _, why = test.tool("prometheus", {query = "("})
assert(why == "bad_data")

nod.exec = function() return nil, "denied by the operator" end
_, why = test.tool("prometheus", {query = "up"})
assert(why == "denied by the operator")
