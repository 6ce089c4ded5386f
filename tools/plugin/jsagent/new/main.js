import { count } from "./count.js";

set_system_prompt("You say which text files of a folder have the most lines. Use count_lines.");

register_tool({
  name: "count_lines",
  description: "Count the lines of each file of a folder.",
  parameters: {
    type: "object",
    properties: { folder: { type: "string", description: "the folder; . is the working folder" } },
    required: ["folder"],
  },
  execute: async (args) => {
    const { folder } = JSON.parse(args);
    const lines = {};
    for (const name of fs.list_dir(folder)) {
      if (!name.endsWith("/")) lines[name] = count(fs.read_text(folder + "/" + name));
    }
    return lines;
  },
});
