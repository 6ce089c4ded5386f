// count is how many lines a text has.
export function count(text) {
  if (text === "") return 0;
  return text.replace(/\n$/, "").split("\n").length;
}
