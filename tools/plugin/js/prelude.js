// The globals of an agent, and what the Go side calls. The value is a function: it is
// given limits as JSON and returns begin, state and registered.
(function (encodedLimits) {
  "use strict";
  const ask = globalThis.__ask, tell = globalThis.__tell;
  delete globalThis.__ask;
  delete globalThis.__tell;
  const limits = JSON.parse(encodedLimits);
  const { parse, stringify } = JSON;

  const request = (method, params) => {
    let answer;
    try { answer = ask(method, stringify(params)); } catch (e) { throw new Error(e.message); }
    return parse(answer);
  };

  // text is a value as print shows it.
  const text = (v) => {
    if (typeof v === "string") return v;
    if (v instanceof Error) return v.name + ": " + v.message;
    if (typeof v === "object" && v !== null) {
      try { return stringify(v); } catch { return String(v); }
    }
    return String(v);
  };

  // described is an error with the first place in the agent's own files.
  const described = (e) => {
    if (!(e instanceof Error)) return "thrown: " + text(e);
    const at = /([^\s(]+\.m?js):(\d+)/.exec(String(e.stack || ""));
    const what = e.name === "Error" ? e.message : e.name + ": " + e.message;
    return (at ? at[1] + ":" + at[2] + ": " : "") + what;
  };

  const needText = (what, v) => {
    if (typeof v !== "string") throw new TypeError(what + " is " + text(v) + ", want a text");
    return v;
  };

  // options takes the known fields of an object of options.
  const options = (what, given, known) => {
    if (given === undefined || given === null) return {};
    if (typeof given !== "object") throw new TypeError(what + ": the options are no object");
    const taken = {};
    for (const [k, v] of Object.entries(given)) {
      if (!known.includes(k)) throw new TypeError(`${what}: there is no option "${k}"; there are ${known.join(", ")}`);
      if (v !== undefined) taken[k] = v;
    }
    return taken;
  };

  // What is registered.
  const tools = new Map();
  const results = [];
  const keptResults = 100;
  let systemPrompt = "", maxTurns = 0, loading = true;

  const register = (what, def, execute) => {
    if (!loading) throw new Error(what + ": tools are registered while the agent starts, not later");
    if (typeof def !== "object" || def === null) throw new TypeError(what + ": want an object");
    const known = ["name", "description", "parameters", "execute"];
    for (const k of Object.keys(def)) {
      if (!known.includes(k)) throw new TypeError(`${what}: there is no field "${k}"; there are ${known.join(", ")}`);
    }
    const { name, description } = def;
    if (typeof name !== "string" || !/^[a-z][a-z0-9_-]{0,63}$/.test(name)) {
      throw new TypeError(`${what}: a tool cannot be called ${stringify(name)}; use small letters, digits, _ and -, a letter first`);
    }
    if (tools.has(name)) throw new Error(`${what}: "${name}" is registered twice`);
    if (tools.size === limits.tools) throw new Error(`${what} "${name}": an agent can have ${limits.tools} tools, and no more`);
    if (typeof description !== "string" || description === "") throw new TypeError(`${what} "${name}": description is missing, or no text`);
    let parameters = def.parameters ?? { type: "object", properties: {} };
    if (typeof parameters === "string") parameters = parse(parameters);
    if (typeof parameters !== "object" || parameters === null || parameters.type !== "object") {
      throw new TypeError(`${what} "${name}": parameters is not a JSON Schema with type "object"`);
    }
    tools.set(name, { name, description, parameters: parse(stringify(parameters)), execute });
  };

  const globals = {
    nod_version: () => limits.version,
    print: (...values) => tell("print", values.map(text).join(" ") + "\n"),
    print_raw: (...values) => tell("print", values.map(text).join(" ")),
    eprint: (...values) => tell("eprint", values.map(text).join(" ") + "\n"),
    input: (question = "") => request("input", { question: text(question) }),

    set_system_prompt: (prompt) => { systemPrompt = needText("set_system_prompt", prompt); },
    set_max_turns: (n) => {
      if (!Number.isInteger(n) || n < 1 || n > limits.turns) {
        throw new RangeError(`set_max_turns: ${text(n)} is not a number from 1 to ${limits.turns}`);
      }
      maxTurns = n;
    },
    register_tool: (def) => {
      if (typeof def?.execute !== "function") throw new TypeError(`register_tool ${stringify(def?.name)}: execute is not a function`);
      register("register_tool", def, def.execute);
    },
    register_tools_json: (list) => {
      const all = typeof list === "string" ? parse(list) : list;
      if (!Array.isArray(all)) throw new TypeError("register_tools_json: want a JSON array");
      for (const one of all) {
        const { execute: _, ...def } = one?.type === "function" && one.function ? one.function : one ?? {};
        register("register_tools_json", def, (args) => {
          const f = globalThis[def.name];
          if (typeof f !== "function") throw new Error(`the tool "${def.name}" has no function: set globalThis["${def.name}"]`);
          return f(args);
        });
      }
    },
    get_tool_results: () => parse(stringify(results)),

    ask_llm: async (prompt, given) => request("ask_llm", { ...options("ask_llm", given, ["system"]), prompt: needText("ask_llm: the prompt", prompt) }),
    run_command: async (command, given) =>
      request("run_command", { ...options("run_command", given, ["cwd", "stdin", "mutation", "wait"]), command: needText("run_command: the command", command) }),
    spawn: async (program, args = [], given = undefined) => {
      if (!Array.isArray(args)) throw new TypeError("spawn: the arguments are no array");
      return request("spawn", {
        ...options("spawn", given, ["cwd", "stdin", "mutation", "wait"]),
        program: needText("spawn: the program", program), args: args.map((a) => needText("spawn: an argument", a)),
      });
    },
    fetch: async (url, given) => {
      const o = options("fetch", given, ["method", "headers", "body"]);
      const r = request("fetch", { ...o, url: needText("fetch: the URL", String(url)) });
      return {
        ok: r.status >= 200 && r.status < 300, status: r.status, url: r.url,
        text: async () => r.body, json: async () => parse(r.body),
      };
    },
    http_get: async (url) => request("fetch", { url: needText("http_get: the URL", url) }).body,
    http_post: async (url, body, headers) =>
      request("fetch", {
        url: needText("http_post: the URL", url), method: "POST",
        body: typeof body === "string" || body === undefined ? body ?? "" : stringify(body),
        headers: headers ?? (typeof body === "string" || body === undefined ? {} : { "Content-Type": "application/json" }),
      }).body,

    fs: Object.freeze({
      read_text: (path) => request("fs.read_text", { path: needText("fs.read_text: the path", path) }),
      write_text: (path, content) =>
        request("fs.write_text", { path: needText("fs.write_text: the path", path), content: needText("fs.write_text: the content", content) }),
      list_dir: (path = ".") => request("fs.list_dir", { path: needText("fs.list_dir: the path", path) }),
      is_dir: (path) => request("fs.is_dir", { path: needText("fs.is_dir: the path", path) }),
      mkdir: (path) => request("fs.mkdir", { path: needText("fs.mkdir: the path", path) }),
      cwd: () => request("fs.cwd", {}),
    }),
    memory: Object.freeze({
      get: (key) => request("memory.get", { key: needText("memory.get: the key", key) }),
      set: (key, value) => request("memory.set", { key: needText("memory.set: the key", key), value: typeof value === "string" ? value : stringify(value) }),
    }),
    messages: Object.freeze({
      send: (to, message) => request("messages.send", { to: needText("messages.send: to", to), text: needText("messages.send: the text", message) }),
      receive: () => request("messages.receive", {}),
    }),
  };
  globals.runCommand = globals.run_command;
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }

  // The calls of the Go side, by number.
  const calls = new Map();

  const work = async (kind, name, args) => {
    if (kind === "main") {
      Object.defineProperty(globalThis, "goal", { value: args, writable: true, configurable: true });
      await import(name);
      loading = false;
      return null;
    }
    const tool = tools.get(name);
    if (!tool) throw new Error(`it has no tool "${name}"`);
    const note = (result, isError) => {
      results.push({ name, arguments: args, result, is_error: isError });
      if (results.length > keptResults) results.shift();
    };
    try {
      const result = (await tool.execute(args)) ?? "OK";
      const value = parse(stringify(result) ?? '"OK"');
      note(value, false);
      return value;
    } catch (e) {
      note(described(e), true);
      throw e;
    }
  };

  return {
    begin: (id, kind, name, args) => {
      const call = { done: false };
      calls.set(id, call);
      work(kind, name, args).then(
        (value) => { call.done = true; call.value = value; },
        (e) => { call.error = described(e) || "it failed without a word"; },
      );
    },
    state: (id) => {
      const call = calls.get(id);
      if (call.done || call.error) calls.delete(id);
      return stringify(call);
    },
    registered: () => stringify({
      system_prompt: systemPrompt, max_turns: maxTurns,
      tools: [...tools.values()].map(({ name, description, parameters }) => ({ name, description, parameters })),
    }),
  };
})
