local e = {target = "ssh:prod-1", kind = "exec", command = "systemctl restart nginx"}
assert(test.hook("pre_tool", e).deny:find("/ticket"))
assert(not test.hook("pre_tool", {target = "local", kind = "exec"}).deny)
assert(not test.hook("pre_tool", {target = "ssh:prod-1", kind = "read"}).deny)

local _, why = test.command("ticket", "yes")
assert(why:find("want a ticket such as OPS%-123"))
assert(test.command("ticket").print == "there is no ticket")
assert(test.command("ticket", "OPS-7").print == "from now on you work under OPS-7")
assert(test.hook("pre_tool", e).note == "under OPS-7")
