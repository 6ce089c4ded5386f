nod.register_command{
  name = "handover", args = "[name]",
  description = "write the prompt for a hand-over to the next who is on call",
  run = function(args)
    local to = args == "" and "the next who is on call" or args
    local lines = {"Write a hand-over to " .. to .. " of what was done in this conversation:"}
    for _, s in ipairs(nod.config.sections) do
      lines[#lines + 1] = "- " .. s
    end
    lines[#lines + 1] = "Say for each point how it can be seen. Leave out what is settled."
    return {prompt = table.concat(lines, "\n")}
  end,
}
