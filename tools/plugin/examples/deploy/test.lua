local ran
nod.exec = function(command) ran = command return {exit_code = 0} end
assert(test.tool("deploy", {service = "web", version = "1.4.2"}).exit_code == 0)
assert(ran == "/usr/local/bin/deploy web 1.4.2")

ran = nil
local _, why = test.tool("deploy", {service = "web", version = "1.4.2; reboot"})
assert(why:find("want a version") and not ran)
_, why = test.tool("deploy", {service = "db", version = "1.0.0"})
assert(why == "there is no service db; there are api, web")

assert(test.command("deploy", "api 2.0.0").prompt:find("Deploy api 2.0.0", 1, true))
_, why = test.command("deploy", "api")
assert(why:find("there is no service nil"))
