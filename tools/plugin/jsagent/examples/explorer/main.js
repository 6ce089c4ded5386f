// Answers questions about a folder, with three tools of its own. Start nod in the folder.

set_system_prompt(`You answer questions about the files under ${fs.cwd()}.
Look before you answer, and name the file and the line that you quote.`);

register_tool({
  name: "run",
  description: "Run a shell command and return its output.",
  parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  execute: async function (args_json) {
    const args = JSON.parse(args_json);
    return await run_command(args.command);
  },
});

register_tool({
  name: "read_file",
  description: "Read the full contents of a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: (args_json) => fs.read_text(JSON.parse(args_json).path),
});

register_tool({
  name: "search",
  description: "Search for a text in the files below a folder.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, pattern: { type: "string" } },
    required: ["path", "pattern"],
  },
  execute: async (args_json) => {
    const { path, pattern } = JSON.parse(args_json);
    const found = await spawn("grep", ["-rnF", "--", pattern, path]);
    return found.exit_code === 1 ? "nothing found" : found.stdout + found.stderr;
  },
});
