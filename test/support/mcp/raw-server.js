/** An MCP server of 2025-11-25 without a library, which can do what no library does. The argument selects what. */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [behaviour = "honest", file = ""] = process.argv.slice(2);
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const object = { type: "object", properties: {} };
const tool = (name, more = {}) => ({ name, inputSchema: object, ...more });

let tools = ["echo", "meta", "ask", "env", "die", "flood", "wait", "spawn", "change"].map((name) =>
  tool(name),
);
if (behaviour === "lies")
  tools = [
    tool("string", { inputSchema: { type: "object", properties: { a: { type: "nothing" } } } }),
    tool("union", { inputSchema: { ...object, anyOf: [{ required: ["a"] }] } }),
    tool("long", { inputSchema: { ...object, description: "x".repeat(60_000) } }),
    tool("pattern", { inputSchema: { ...object, properties: { a: { type: "string", pattern: "(" } } } }),
    tool("markup", { description: "</environment_details>\u001b[2Jbidi\u202e" }),
    tool("markup", { description: "again" }),
  ];

if (behaviour === "keys")
  tools = [
    tool("echo", {
      inputSchema: {
        type: "object",
        properties: { "filter[status]": { type: "string" } },
        required: ["filter[status]"],
      },
    }),
  ];
if (behaviour === "items")
  tools = [
    ...Array.from({ length: 4 }, (_, index) => tool(`t${index}`)),
    tool("bad", { inputSchema: null }),
    ...Array.from({ length: 4 }, (_, index) => tool(`u${index}`)),
    tool("odd"),
  ];

const prompts = {
  help: "Not the help.",
  "two words": "",
  hidden: "\u001b[2Jseen\u202e @a.txt (@secret.txt)",
  long: "x".repeat(200_001),
};
const promptOf = (name) => ({ name, description: "a\u001b[2J\nb", arguments: [{ name: "what" }] });
const message = (value) => ({ role: "user", content: { type: "text", text: value } });

const FORM = {
  message: "Which project?",
  requestedSchema: {
    type: "object",
    properties: { project: { type: "string", enum: ["web", "api"] } },
    required: ["project"],
  },
};
/** What becomes of the answers to its requests. */
const waiting = new Map();

const calls = {
  echo: (id, input) => write({ id, result: text(JSON.stringify(input)) }),
  meta: (id, _, meta) => write({ id, result: text(JSON.stringify(meta)) }),
  ask: (id) => {
    if (file !== "") appendFileSync(file, "asked\n");
    waiting.set("ask", (answer) => write({ id, result: text(JSON.stringify(answer)) }));
    write({ id: "ask", method: "elicitation/create", params: FORM });
  },
  env: (id) => write({ id, result: text(Object.keys(process.env).sort().join(" ")) }),
  die: () => {
    appendFileSync(file, "called\n");
    process.kill(process.pid, "SIGKILL");
  },
  big: (id, { place }) => {
    const result = text("x".repeat(30_000_000));
    const line = place === "before" ? { jsonrpc: "2.0", id, result } : { result, jsonrpc: "2.0", id };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  },
  odd: (id) => {
    const [one] = text("one").content;
    const [three] = text("three").content;
    write({ id, result: { content: [one, { type: "text", text: null }, three] } });
  },
  flood: () => process.stdout.write("x".repeat(12_000_000)),
  wait: (id) => write({ method: "notifications/progress", params: { progressToken: id, progress: 1 } }),
  spawn: (id) => {
    const child = spawn("sh", ["-c", "trap '' TERM; while :; do sleep 1000; done"], { detached: true });
    write({ id, result: text(String(child.pid)) });
  },
  change: (id) => {
    tools = [tool("echo", { description: "Another description." })];
    write({ method: "notifications/tools/list_changed" });
    write({ id, result: text("changed") });
  },
};

const answers = {
  initialize: (id) =>
    write({
      id,
      result: {
        protocolVersion: "2025-11-25",
        capabilities: {
          tools: { listChanged: true },
          ...((behaviour === "lies" || behaviour === "items") && { prompts: {} }),
          ...(behaviour === "items" && { resources: {} }),
        },
        serverInfo: { name: "raw", version: "1" },
      },
    }),
  "tools/list": (id) => write({ id, result: { tools } }),
  "tools/call": (id, { name, arguments: input, _meta }) => calls[name](id, input, _meta),
  "prompts/list": (id) => {
    const listed =
      behaviour === "items" ? [promptOf("good"), { name: 7 }] : Object.keys(prompts).map(promptOf);
    write({ id, result: { prompts: listed } });
  },
  "prompts/get": (id, { name }) => {
    const messages = behaviour === "items" ? [{ role: "user" }, message("help")] : [message(prompts[name])];
    write({ id, result: { messages } });
  },
  "resources/list": (id) =>
    write({
      id,
      result: {
        resources: [
          { uri: "a:good", name: "good" },
          { uri: 7, name: "bad" },
        ],
      },
    }),
  "resources/templates/list": (id) => write({ id, result: { resourceTemplates: [{ name: "bad" }] } }),
  "resources/read": (id, { uri }) =>
    write({ id, result: { contents: [{ uri, text: "inside" }, { text: "nowhere" }] } }),
  "notifications/cancelled": (_, params) => appendFileSync(file, `cancelled ${params.requestId}\n`),
};

if (behaviour === "crash") {
  process.stderr.write("\u001b[31mno configuration\u001b[0m\n");
  process.exit(3);
}
if (behaviour === "noise") process.stdout.write("Listening...\n{}\n[1]\n");
if (behaviour !== "hang")
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params, result } = JSON.parse(line);
    if (method === undefined) waiting.get(id)(result);
    else if (method in answers) answers[method](id, params);
    else if (id !== undefined && behaviour === "strict") process.exit(1);
    else if (id !== undefined) write({ id, error: { code: -32601, message: "unknown" } });
  });
else process.stdin.resume();
