-- A tool for the model.
nod.register_tool{
  name = "NAME",
  description = "Say how busy the machine is.",
  risk = "low",
  parameters = {type = "object", properties = {}},
  execute = function()
    local result, why = nod.exec("uptime")
    if not result then error(why) end
    return {load = result.stdout:match("load average[s]?: ([%d.]+)")}
  end,
}

-- A hook: it is told what is to run, before anybody is asked, and may deny.
nod.register_hook{
  event = "pre_tool",
  run = function(event)
    if event.command and event.command:find(nod.config.forbidden, 1, true) then
      return {deny = nod.config.forbidden .. " is not for nod"}
    end
  end,
}
