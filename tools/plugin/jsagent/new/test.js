// Run by: nod agent check
import { count } from "./count.js";

for (const [text, want] of [["", 0], ["a", 1], ["a\n", 1], ["a\nb", 2]]) {
  if (count(text) !== want) throw new Error(`count(${JSON.stringify(text)}) is ${count(text)}, want ${want}`);
}
