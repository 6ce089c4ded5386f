// Looks at this machine with three commands, and has the model say it in a sentence.

const looks = {};
for (const command of ["uname -sr", "uptime", "df -h /"]) {
  looks[command] = (await run_command(command)).trim();
}
const lines = looks["df -h /"].split("\n").length;
print(`looked with ${Object.keys(looks).length} commands; df has ${lines} lines`);
print(await ask_llm(`${goal}\n\n${JSON.stringify(looks, null, 2)}`, {
  system: "You sum up in one sentence what the commands have printed.",
}));
