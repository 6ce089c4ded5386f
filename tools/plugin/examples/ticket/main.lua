-- The ticket is set with the command /ticket OPS-123, and holds until it is changed.
local ticket

local function matches(pattern, name)
  local p = pattern:gsub("[%-%.%+%[%]%(%)%$%^%%%?]", "%%%0"):gsub("%*", ".*")
  return name:find("^" .. p .. "$") ~= nil
end

local function guarded(target)
  for _, pattern in ipairs(nod.config.targets) do
    if matches(pattern, target) then return true end
  end
  return false
end

nod.register_command{
  name = "ticket", args = "[" .. nod.config.project .. "-123]",
  description = "say under which ticket you work; without one: which it is",
  run = function(args)
    if args == "" then return ticket and "you work under " .. ticket or "there is no ticket" end
    if not args:find("^" .. nod.config.project .. "%-%d+$") then
      return nil, "want a ticket such as " .. nod.config.project .. "-123, got " .. args
    end
    ticket = args
    return "from now on you work under " .. ticket
  end,
}

local looks = {read = true, fetch = true, pure = true}

nod.register_hook{
  event = "pre_tool",
  run = function(e)
    if looks[e.kind] or not guarded(e.target or "") then return end
    if not ticket then
      return {deny = "on " .. e.target .. " nothing is done without a ticket; say which with /ticket"}
    end
    return {note = "under " .. ticket}
  end,
}
