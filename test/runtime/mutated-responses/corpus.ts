/** An event of a response, as the Messages API sends it. */
export type RawEvent = Readonly<Record<string, unknown>>;

/** A valid response. */
export interface RawResponse {
  readonly name: string;
  readonly events: readonly RawEvent[];
}

/** The events of one content block, given its index. */
type RawBlock = (index: number) => readonly RawEvent[];

const USAGE = {
  input_tokens: 25,
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 9,
  output_tokens: 1,
};

const ping: RawEvent = { type: "ping" };

const started: RawEvent = {
  type: "message_start",
  message: {
    id: "msg_01",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: USAGE,
  },
};

function stopped(reason: string, more: RawEvent = {}): readonly RawEvent[] {
  return [
    {
      type: "message_delta",
      delta: { stop_reason: reason, stop_sequence: reason === "stop_sequence" ? "END" : null },
      usage: { output_tokens: 15 },
      ...more,
    },
    { type: "message_stop" },
  ];
}

/** A block with these deltas. */
const block =
  (content_block: RawEvent, ...deltas: readonly RawEvent[]): RawBlock =>
  (index) => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];

const text = (...pieces: readonly string[]): RawBlock =>
  block({ type: "text", text: "" }, ...pieces.map((piece) => ({ type: "text_delta", text: piece })));

const thinking = (piece: string, signature = "c2ln+/=="): RawBlock =>
  block(
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: piece },
    { type: "thinking_delta", thinking: " Go on …" },
    { type: "signature_delta", signature },
  );

const redacted: RawBlock = block({ type: "redacted_thinking", data: "ZGF0YQ==" });

/** Deltas of an input, cut within its JSON. */
function inputDeltas(input: RawEvent): readonly RawEvent[] {
  const json = JSON.stringify(input);
  const middle = Math.ceil(json.length / 2);
  return ["", json.slice(0, middle), json.slice(middle)].map((partial_json) => ({
    type: "input_json_delta",
    partial_json,
  }));
}

const tool = (id: string, name: string, input: RawEvent, more: RawEvent = {}): RawBlock =>
  block({ type: "tool_use", id, name, input: {}, ...more }, ...inputDeltas(input));

const serverTool = (id: string, name: string, input: RawEvent): RawBlock =>
  block({ type: "server_tool_use", id, name, input: {} }, ...inputDeltas(input));

const searchResult: RawBlock = block({
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_01",
  content: [
    {
      type: "web_search_result",
      url: "https://a.example/é",
      title: "Café 📏",
      encrypted_content: "ZW5j",
    },
  ],
});

const cited: RawBlock = block(
  { type: "text", text: "", citations: [] },
  { type: "text_delta", text: "Found: 7 m². " },
  {
    type: "citations_delta",
    citation: {
      type: "web_search_result_location",
      url: "https://a.example/é",
      title: "Café 📏",
      encrypted_index: "Eo8BCioIAhgBIiQyYjQ0",
      cited_text: "7 m²",
    },
  },
);

const search = serverTool("srvtoolu_01", "web_search", { query: "Café 📏" });

const response = (
  name: string,
  blocks: readonly RawBlock[],
  reason: string,
  more?: RawEvent,
): RawResponse => ({
  name,
  events: [started, ping, ...blocks.flatMap((each, index) => each(index)), ...stopped(reason, more)],
});

const failure = (type: string, message: string): RawEvent => ({ type: "error", error: { type, message } });

const greeting = text("Hello ", "👋 — 日本語, ", "done.");
const look = tool("toolu_01", "look", { path: "src/café.ts" });
const change = tool("toolu_02", "change", { path: "src/a.ts", text: 'const a = "\\u00fc👋";\n' });
const run = tool("toolu_03", "run", { command: "npm test -- café" });
const complete = tool("toolu_04", "attempt_completion", { result: "Done ✅." });
const question = {
  question: "Which café?",
  follow_up: [{ text: "S" }, { text: "L", mode: "architect" }],
};

/** Valid responses of every kind: text, thinking, tools, server tools, unknown blocks; each way to stop and to fail. */
export const CORPUS: readonly RawResponse[] = [
  response("text", [greeting], "end_turn"),
  response("text after a stop sequence", [greeting], "stop_sequence"),
  response("text cut at max_tokens", [greeting], "max_tokens"),
  response("text cut at the context window", [greeting], "model_context_window_exceeded"),
  response("refusal", [text("That ")], "refusal"),
  response("unknown stop reason", [greeting], "bored"),
  response("no blocks", [], "end_turn"),
  response("two texts", [text("One. "), text("Two.")], "end_turn"),
  response("thinking", [thinking("Hm, 日本."), greeting], "end_turn"),
  response("thinking alone", [thinking("Hm.")], "max_tokens"),
  response("thinking and a tool", [thinking("I look first."), look], "tool_use"),
  response("thinking between tools", [thinking("A"), look, thinking("B", "Zm9v"), change], "tool_use"),
  response("redacted thinking", [redacted, thinking("C"), greeting, run], "tool_use"),
  response("a read", [look], "tool_use"),
  response("a blank text before a tool", [text("\n\n"), look], "tool_use"),
  response("an id of another provider", [tool("functions.look:0", "look", { path: "e" })], "tool_use"),
  response("a character split between deltas", [text("a\ud83d", "\udd27 b"), run], "tool_use"),
  response("a command", [text("I test."), run], "tool_use"),
  response("several tools", [look, tool("toolu_05", "look", { path: "b" }), change, run], "tool_use"),
  response("a repeated id", [look, look, text("…")], "tool_use"),
  response("a completion", [complete], "tool_use"),
  response("a completion after other tools", [change, complete], "tool_use"),
  response("a question", [tool("toolu_06", "ask_followup_question", question)], "tool_use"),
  response("a todo list", [tool("toolu_07", "update_todo_list", { todos: "[x] café\n[-] 👋" })], "tool_use"),
  response("a subtask", [tool("toolu_08", "new_task", { mode: "code", message: "Count." })], "tool_use"),
  response("an unknown tool", [tool("toolu_09", "teleport", { to: "Mars" })], "tool_use"),
  response("invalid arguments", [tool("toolu_10", "look", { path: 7 })], "tool_use"),
  response(
    "a tool without arguments",
    [block({ type: "tool_use", id: "toolu_11", name: "wait", input: {} })],
    "tool_use",
  ),
  response(
    "arguments in the start of a tool",
    [block({ type: "tool_use", id: "toolu_12", name: "look", input: { path: "c" } })],
    "tool_use",
  ),
  response(
    "a tool cut at max_tokens",
    [
      block(
        { type: "tool_use", id: "toolu_13", name: "run", input: {} },
        { type: "input_json_delta", partial_json: '{"command":"rm' },
      ),
    ],
    "max_tokens",
  ),
  response(
    "a tool with a caller",
    [tool("toolu_14", "look", { path: "d" }, { caller: { type: "direct" } })],
    "tool_use",
  ),
  response("a web search", [text("I search. "), search, searchResult, cited], "end_turn", {
    usage: { output_tokens: 40, server_tool_use: { web_search_requests: 1 } },
  }),
  response("a web search beside a tool", [search, searchResult, look], "tool_use"),
  response("server blocks alone", [search, searchResult], "end_turn"),
  response("a paused turn", [text("I search. "), search], "pause_turn"),
  response("a paused turn of text", [text("Not yet ")], "pause_turn"),
  response(
    "code execution",
    [
      serverTool("srvtoolu_02", "bash_code_execution", { command: "echo é" }),
      block({
        type: "bash_code_execution_tool_result",
        tool_use_id: "srvtoolu_02",
        content: {
          type: "bash_code_execution_result",
          stdout: "é\n",
          stderr: "",
          return_code: 0,
          content: [],
        },
      }),
      text("It is é."),
    ],
    "end_turn",
    { container: { id: "container_01", expires_at: "2026-01-01T00:00:00Z" } },
  ),
  response(
    "tool search",
    [
      serverTool("srvtoolu_03", "tool_search_tool_regex", { query: "lo.k" }),
      block({
        type: "tool_search_tool_result",
        tool_use_id: "srvtoolu_03",
        content: {
          type: "tool_search_tool_search_result",
          tool_references: [{ type: "tool_reference", tool_name: "look" }],
        },
      }),
      look,
    ],
    "tool_use",
  ),
  response(
    "compaction",
    [
      block({ type: "compaction", content: null }, { type: "compaction_delta", content: "So far: nothing." }),
      greeting,
    ],
    "end_turn",
    { context_management: { applied_edits: [{ type: "compact_20260112" }] } },
  ),
  response(
    "an unknown block with unknown deltas",
    [block({ type: "hologram", depth: 3 }, { type: "hologram_delta", voxels: [1, 2] }), greeting, look],
    "tool_use",
  ),
  response(
    "unknown deltas",
    [
      block(
        { type: "text", text: "Be" },
        { type: "emotion_delta", emotion: "joy" },
        { type: "text_delta", text: "fore." },
      ),
    ],
    "end_turn",
  ),
  response("an absurd usage", [greeting], "end_turn", {
    usage: { input_tokens: 1e308, output_tokens: 1e308 },
  }),
  {
    name: "unknown events, pings and no usage",
    events: [
      { type: "message_start", message: {} },
      ping,
      { type: "weather_report", sky: "clear" },
      ...greeting(0).flatMap((event) => [event, ping]),
      ...stopped("end_turn", { usage: null }),
    ],
  },
  { name: "an error", events: [failure("overloaded_error", "Overloaded")] },
  {
    name: "an error within a text",
    events: [started, ...greeting(0).slice(0, 3), failure("api_error", "Internal error ⚠️")],
  },
  {
    name: "an error that forbids a retry",
    events: [started, ...look(0).slice(0, 2), failure("invalid_request_error", "no such model")],
  },
  {
    name: "an error of a window that is full",
    events: [started, ...look(0).slice(0, 2), failure("invalid_request_error", "prompt is too long")],
  },
  { name: "an error of an unknown type", events: [started, failure("mood_error", "Not today")] },
];
