import { parseJson } from "../../../machines/message/json.ts";
import { EntryList } from "./entry-list.ts";
import {
  amountOf,
  contentText,
  type Fields,
  fieldsOf,
  type JsonLine,
  jsonLines,
  stemOf,
  taskIdOf,
  textOf,
  timeOf,
} from "./json-fields.ts";
import type { LoadedFile } from "./loaded-file.ts";
import type { CallEnd, Transcript, TranscriptUsage } from "./transcript.ts";

const TYPES: ReadonlySet<unknown> = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "event_msg",
  "compacted",
]);

/** Whether the record is of a rollout of Codex. */
export const isCodex = ({ type, payload }: Fields): boolean => TYPES.has(type) && typeof payload === "object";

/** Read rollouts of Codex: one session per file. */
export const readCodex = (files: readonly LoadedFile[]): readonly Transcript[] =>
  files.map(({ name, text }) => readRollout(name, jsonLines(text, name)));

function readRollout(name: string, lines: readonly JsonLine[]): Transcript {
  const list = new EntryList();
  const reader = new RolloutReader(list, lines);
  for (const line of lines) {
    if ("problem" in line) list.addProblem(line);
    else reader.read(line.fields);
  }
  const { meta } = reader;
  const version = textOf(meta.cli_version);
  const workspace = textOf(meta.cwd);
  const spawn = fieldsOf(fieldsOf(fieldsOf(meta.source).subagent).thread_spawn);
  const parentId = textOf(meta.parent_thread_id) ?? textOf(spawn.parent_thread_id);
  return {
    format: { name: "Codex", ...(version !== undefined && { version }) },
    taskId: taskIdOf(textOf(meta.id) ?? stemOf(name)),
    createdAt: timeOf(meta.timestamp) ?? list.entries[0]?.at ?? 0,
    ...(workspace !== undefined && { workspace }),
    ...(parentId !== undefined && { parent: { taskId: taskIdOf(parentId), callId: "" } }),
    entries: list.entries,
    problems: list.problems,
  };
}

/** Events of the display that response items or other events repeat. */
const REPEATED: ReadonlySet<unknown> = new Set([
  "agent_message",
  "agent_reasoning",
  "agent_reasoning_raw_content",
  "agent_reasoning_section_break",
  "apply_patch_approval_request",
  "exec_approval_request",
  "exec_command_end",
  "exec_command_output_delta",
  "item_completed",
  "item_started",
  "mcp_tool_call_begin",
  "mcp_tool_call_end",
  "patch_apply_end",
  "task_started",
  "turn_started",
  "user_message",
  "web_search_begin",
  "web_search_end",
]);

class RolloutReader {
  meta: Fields = {};
  readonly #list: EntryList;
  /** The ends of commands and patches, by their calls. */
  readonly #ends = new Map<string, Fields>();
  /** Calls that a person is asked about. */
  readonly #asked = new Set<string>();
  readonly #answered = new Set<string>();
  #model: string | undefined;
  #request: string | undefined;
  /** Whether the open request has a response, and its calls have results. */
  #isOver = false;
  #count = 0;

  constructor(list: EntryList, lines: readonly JsonLine[]) {
    this.#list = list;
    for (const line of lines) {
      const { type, payload } = "fields" in line ? line.fields : {};
      const event = fieldsOf(payload);
      const id = textOf(event.call_id);
      if (type !== "event_msg" || id === undefined) continue;
      if (event.type === "exec_command_end" || event.type === "patch_apply_end") this.#ends.set(id, event);
      if (String(event.type).endsWith("_approval_request")) this.#asked.add(id);
    }
  }

  read({ type, payload, timestamp }: Fields): void {
    const before = this.#list.at;
    this.#list.at = timeOf(timestamp) ?? before;
    const fields = fieldsOf(payload);
    if (type === "session_meta") this.meta = textOf(this.meta.id) === undefined ? fields : this.meta;
    else if (type === "turn_context") this.#model = textOf(fields.model) ?? this.#model;
    else if (type === "compacted")
      this.#list.add({ kind: "compaction", summary: textOf(fields.message) ?? "" });
    else if (type === "response_item") this.#readItem(fields, before || this.#list.at);
    else if (type === "event_msg") this.#readEvent(fields);
    else this.#list.addRaw(type, payload);
  }

  #readItem(item: Fields, before: number): void {
    const id = textOf(item.call_id) ?? textOf(item.id) ?? "";
    switch (item.type) {
      case "message":
        this.#readMessage(item, before);
        break;
      case "reasoning":
        this.#begin(before);
        this.#list.add({ kind: "thinking", text: contentText(item.summary) || contentText(item.content) });
        break;
      case "function_call":
        this.#addCall(id, textOf(item.name), argumentsOf(item.arguments), before);
        break;
      case "custom_tool_call":
        this.#addCall(id, textOf(item.name), { input: item.input }, before);
        break;
      case "local_shell_call":
        this.#addCall(id, "shell", fieldsOf(item.action), before);
        break;
      case "function_call_output":
      case "custom_tool_call_output":
        this.#addResult(id, outputText(item.output), item.output);
        break;
      default:
        this.#list.addRaw(item.type, item);
    }
  }

  #readMessage(item: Fields, before: number): void {
    const text = contentText(item.content);
    if (item.role === "assistant") {
      this.#begin(before);
      this.#list.add({ kind: "text", text });
      return;
    }
    this.#end();
    // Instructions and facts about the environment are sent in the name of the user.
    const isFromPerson = item.role === "user" && !/^(?:<[a-z_ -]+>|# AGENTS\.md)/i.test(text);
    if (isFromPerson) this.#list.add({ kind: "prompt", text });
    else this.#list.addRaw(`message (${String(item.role)})`, item);
  }

  #addCall(id: string, name: string | undefined, input: Fields, before: number): void {
    this.#begin(before);
    const isAsking = this.#asked.has(id) || name === "request_user_input";
    this.#list.add({ kind: "call", id, name: name ?? "tool", input, ...(isAsking && { asks: true }) });
  }

  #addResult(callId: string, text: string, output: unknown): void {
    if (this.#answered.has(callId)) return;
    this.#answered.add(callId);
    this.#isOver = true;
    const end = this.#ends.get(callId) ?? {};
    const exitCode = exitCodeOf(end, text, output);
    this.#list.add({
      kind: "result",
      callId,
      text,
      ...(exitCode !== undefined && { exitCode }),
      ...callEnd(end, text, exitCode),
    });
  }

  #readEvent(event: Fields): void {
    const callId = textOf(event.call_id) ?? "";
    switch (event.type) {
      case "exec_command_begin":
      case "patch_apply_begin":
        if (this.#asked.has(callId)) this.#list.add({ kind: "approved", callId });
        break;
      case "token_count":
        this.#end(fieldsOf(event.info).last_token_usage);
        break;
      case "task_complete":
      case "turn_complete":
        this.#end();
        this.#list.add({ kind: "turn.ended", how: "done" });
        break;
      case "turn_aborted":
        this.#end();
        this.#list.add({ kind: "turn.ended", how: "interrupted" });
        break;
      case "error":
      case "stream_error":
        this.#fail(textOf(event.message) ?? "The request failed.", event.type === "error");
        break;
      default:
        if (!REPEATED.has(event.type)) this.#list.addRaw(event.type, event);
    }
  }

  /** Open a request, unless one is open: at the time of what it sent. */
  #begin(at: number): void {
    if (this.#request !== undefined && this.#isOver) this.#end();
    if (this.#request !== undefined) return;
    this.#count += 1;
    this.#request = `request-${this.#count}`;
    this.#isOver = false;
    this.#list.add({ kind: "request", id: this.#request }, at);
  }

  #end(usage?: unknown): void {
    if (this.#request === undefined) return;
    const model = this.#model;
    this.#list.add({
      kind: "response",
      id: this.#request,
      ...(usage !== undefined && { usage: usageOf(fieldsOf(usage)) }),
      ...(model !== undefined && {
        model: { provider: textOf(this.meta.model_provider) ?? "openai", id: model },
      }),
    });
    this.#request = undefined;
  }

  #fail(error: string, isLast: boolean): void {
    this.#begin(this.#list.at);
    this.#list.add({ kind: "response", id: this.#request ?? "", error });
    this.#request = undefined;
    if (isLast) this.#list.add({ kind: "turn.ended", how: "failed", text: error });
  }
}

/** The arguments of a call, which are JSON in a text. Others are one argument. */
function argumentsOf(text: unknown): Fields {
  const value = typeof text === "string" ? parseJson(text) : text;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? fieldsOf(value)
    : { input: text };
}

/** The text of a result: itself, the text in its JSON, or the texts of its blocks. */
function outputText(output: unknown): string {
  if (typeof output !== "string") return contentText(fieldsOf(output).content ?? output);
  return textOf(fieldsOf(parseJson(output)).output) ?? output;
}

function usageOf(usage: Fields): TranscriptUsage {
  const cacheReads = amountOf(usage.cached_input_tokens);
  return {
    tokensIn: Math.max(0, amountOf(usage.input_tokens) - cacheReads),
    tokensOut: amountOf(usage.output_tokens),
    cacheWrites: 0,
    cacheReads,
    cost: null,
  };
}

/** The exit code of a command: from its event, from the JSON of its result, or from the text. */
function exitCodeOf(end: Fields, text: string, output: unknown): number | undefined {
  const metadata = fieldsOf(fieldsOf(typeof output === "string" ? parseJson(output) : undefined).metadata);
  const code = end.exit_code ?? metadata.exit_code;
  if (typeof code === "number") return isDeclined(end, text) ? undefined : code;
  const named = /^(?:Exit code: |.*\bProcess exited with code )(-?\d{1,4})\b/ms.exec(
    text.slice(0, 1_000),
  )?.[1];
  return named === undefined ? undefined : Number(named);
}

const isDeclined = (end: Fields, text: string): boolean =>
  end.status === "declined" || /\brejected by (?:the )?user\b/i.test(text.slice(0, 300));

function callEnd(end: Fields, text: string, exitCode: number | undefined): CallEnd {
  if (isDeclined(end, text)) return { outcome: "denied", by: "person" };
  if (/^(?:\w+ )?(?:rejected|denied|blocked|forbidden)\b|\bapproval policy\b/i.test(text.slice(0, 300)))
    return { outcome: "denied", by: { rule: "approval policy" } };
  if (/^aborted\b/i.test(text)) return { outcome: "interrupted" };
  const hasFailed = end.success === false || end.status === "failed" || (exitCode ?? 0) !== 0;
  return { outcome: hasFailed ? "failed" : "done" };
}
