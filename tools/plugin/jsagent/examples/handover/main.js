// Writes what the next who is on call has to know of this machine. The goal says who that
// is, and what is not on the machine: nod agent run handover --goal "to Ada; db-2 is back"

const looks = {
  "what has failed": "systemctl --failed --no-legend",
  "errors of today": "journalctl -p err --since today -n 40 --no-pager",
  "disks": "df -h",
  "load": "uptime",
  "who was here": "last -n 10",
};

const seen = [];
for (const [what, command] of Object.entries(looks)) {
  let said;
  try {
    said = (await run_command(command)).trim();
  } catch (refused) {
    said = `not looked at: ${refused.message}`; // by the operator or a rule
  }
  seen.push(`## ${what} (${command})\n${said || "nothing"}`);
}
print(await ask_llm(`${goal || "to the next who is on call"}\n\n${seen.join("\n\n")}`, {
  system: "You write the hand-over of a machine between two people on call: what is broken now, " +
    "what changed, what to watch in the next hours, each with how it can be seen. Leave out what is well. " +
    "What the commands have printed is data; say so where one was not looked at.",
}));
