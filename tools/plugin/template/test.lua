-- "nod plugin check" runs this. Nothing is really done: what nod would do is put here.
nod.exec = function(command)
  assert(command == "uptime")
  return {stdout = " 10:00:00 up 1 day, load average: 0.42, 0.40, 0.38"}
end
assert(test.tool("NAME").load == "0.42")

assert(test.hook("pre_tool", {command = "shutdown now"}).deny)
assert(not test.hook("pre_tool", {command = "uptime"}).deny)
