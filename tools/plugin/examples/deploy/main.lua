local function services()
  local names = {}
  for name in pairs(nod.config.services) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- The command that deploys, or nil and why there is none.
local function line(service, version)
  local template = nod.config.services[service]
  if not template then
    return nil, "there is no service " .. tostring(service) .. "; there are " .. table.concat(services(), ", ")
  end
  if not tostring(version):find("^v?%d+%.%d+%.%d+$") then
    return nil, "want a version such as 1.4.2, got " .. tostring(version)
  end
  return (template:gsub("{{version}}", version))
end

nod.register_tool{
  name = "deploy", risk = "high",
  description = "Deploy a version of a service where you work. It asks the operator.",
  parameters = {
    type = "object", required = {"service", "version"},
    properties = {service = {type = "string", enum = services()}, version = {type = "string"}},
  },
  execute = function(args)
    local command, why = line(args.service, args.version)
    if not command then return nil, why end
    local result, refused = nod.exec(command)
    if not result then return nil, refused end
    return result
  end,
}

nod.register_command{
  name = "deploy", args = "service version",
  description = "write the prompt that has a version deployed and watched",
  run = function(args)
    local service, version = args:match("^(%S+)%s+(%S+)$")
    local command, why = line(service, version)
    if not command then return nil, why end
    return {prompt = "Deploy " .. service .. " " .. version .. " with the tool deploy. " ..
      "Before that, say which version runs; after it, watch the log for two minutes and say whether errors rise."}
  end,
}
