import { EntryList } from "./entry-list.ts";
import {
  amountOf,
  contentText,
  type Fields,
  fieldsOf,
  type JsonLine,
  jsonLines,
  listOf,
  stemOf,
  taskIdOf,
  textOf,
  timeOf,
} from "./json-fields.ts";
import type { LoadedFile } from "./loaded-file.ts";
import type { CallEnd, Transcript, TranscriptEvent, TranscriptUsage } from "./transcript.ts";

/** Whether the records are of a session of Claude Code. */
export const isClaudeCode = ({ type, sessionId, message, leafUuid }: Fields): boolean =>
  (textOf(sessionId) !== undefined &&
    textOf(type) !== undefined &&
    (message !== undefined || BOOKKEEPING.has(type))) ||
  (type === "summary" && leafUuid !== undefined);

/** Records about the editor of the session, not about the task. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set([
  "agent-name",
  "ai-title",
  "custom-title",
  "file-history-delta",
  "file-history-snapshot",
  "last-prompt",
  "mode",
  "permission-mode",
  "pr-link",
  "progress",
  "queue-operation",
  "summary",
]);

/**
 * Read the sessions of Claude Code in these files. A subagent is a session of its own, whether its records are in the file of
 * its parent or in one of its own.
 */
export function readClaudeCode(files: readonly LoadedFile[]): readonly Transcript[] {
  const sessions = new Map<string, Session>();
  for (const { name, text } of files) {
    const lines = jsonLines(text, name);
    const first = lines.find((line) => "fields" in line && textOf(line.fields.sessionId) !== undefined);
    let current = first === undefined ? sessionIn(sessions, stemOf(name)) : sessionOf(first, sessions);
    for (const line of lines) {
      current = sessionOf(line, sessions, current);
      current.lines.push(line);
    }
  }
  const list = [...sessions.values()].filter(({ lines }) => lines.length > 0);
  const callOf = startingCalls(list);
  return list.map((session) => readSession(session, callOf.get(session.id)));
}

interface Session {
  readonly id: string;
  /** The session that started it, if it is a subagent. */
  readonly parentId: string | undefined;
  readonly agentId: string | undefined;
  readonly lines: JsonLine[];
}

function sessionIn(sessions: Map<string, Session>, id: string, agentId?: string): Session {
  const key = agentId === undefined ? id : `${id}.${agentId}`;
  const known = sessions.get(key);
  if (known !== undefined) return known;
  const session = { id: taskIdOf(key), parentId: agentId && taskIdOf(id), agentId, lines: [] };
  sessions.set(key, session);
  return session;
}

/** The session of a record. One without an id belongs to the one before; a subagent without an id is named by its first record. */
function sessionOf(line: JsonLine, sessions: Map<string, Session>, before?: Session): Session {
  const { sessionId, isSidechain, parentUuid, agentId, uuid } = "fields" in line ? line.fields : {};
  const id = textOf(sessionId);
  if (id === undefined) return before ?? sessionIn(sessions, "session");
  if (isSidechain !== true) return sessionIn(sessions, id);
  const isFirst = parentUuid === null || before?.agentId === undefined;
  return sessionIn(sessions, id, textOf(agentId) ?? (isFirst ? textOf(uuid) : before.agentId) ?? "agent");
}

/** The call that started each subagent: by the agent's id in the call's result, else by the prompt. */
function startingCalls(sessions: readonly Session[]): ReadonlyMap<string, string> {
  const byAgent = new Map<string, string>();
  const byPrompt = new Map<string, string>();
  for (const [block, agent] of sessions.flatMap(({ lines }) => lines.flatMap(blocksOf))) {
    const call = textOf(block.tool_use_id) ?? textOf(block.id) ?? "";
    const prompt = textOf(fieldsOf(block.input).prompt);
    if (agent !== undefined && block.type === "tool_result") byAgent.set(agent, call);
    if (prompt !== undefined && block.type === "tool_use") byPrompt.set(prompt, call);
  }
  const pairs = sessions.flatMap(({ id, agentId, lines }) => {
    if (agentId === undefined) return [];
    const first = lines.find((line) => "fields" in line);
    const prompt = first && "fields" in first ? contentText(fieldsOf(first.fields.message).content) : "";
    const call = byAgent.get(agentId) ?? byPrompt.get(prompt);
    return call === undefined ? [] : [[id, call] as const];
  });
  return new Map(pairs);
}

/** The blocks of a record, each with the agent that the record names as started. */
function blocksOf(line: JsonLine): readonly (readonly [Fields, string | undefined])[] {
  if ("problem" in line) return [];
  const { message, toolUseResult } = line.fields;
  const agent = textOf(fieldsOf(toolUseResult).agentId);
  return listOf(fieldsOf(message).content).map((block) => [fieldsOf(block), agent]);
}

function readSession({ id, parentId, lines }: Session, callId = ""): Transcript {
  const list = new EntryList();
  const reader = new SessionReader(list, lines);
  for (const line of lines) {
    if ("problem" in line) list.addProblem(line);
    else reader.read(line.fields);
  }
  const { title, workspace, version } = reader;
  return {
    format: { name: "Claude Code", ...(version !== undefined && { version }) },
    taskId: id,
    createdAt: list.entries[0]?.at ?? 0,
    ...(title !== undefined && { title }),
    ...(workspace !== undefined && { workspace }),
    ...(parentId !== undefined && { parent: { taskId: parentId, callId } }),
    entries: list.entries,
    problems: list.problems,
  };
}

class SessionReader {
  title: string | undefined;
  workspace: string | undefined;
  version: string | undefined;
  readonly #list: EntryList;
  /** The last record of each response: a response has one for each block. */
  readonly #lastOf = new Map<unknown, Fields>();
  readonly #open = new Set<string>();
  /** Responses with a tool call: they do not end the turn. */
  readonly #calling = new Set<string>();
  #tokensBefore: number | undefined;

  constructor(list: EntryList, lines: readonly JsonLine[]) {
    this.#list = list;
    for (const line of lines)
      if ("fields" in line && line.fields.type === "assistant" && blocksIn(line.fields) !== undefined)
        this.#lastOf.set(fieldsOf(line.fields.message).id ?? line.fields.uuid, line.fields);
  }

  read(fields: Fields): void {
    const before = this.#list.at;
    this.#list.at = timeOf(fields.timestamp) ?? before;
    this.workspace ??= textOf(fields.cwd);
    this.version ??= textOf(fields.version);
    if (fields.type === "user") this.#readUser(fields);
    else if (fields.type === "assistant") this.#readAssistant(fields, before || this.#list.at);
    else if (fields.type === "system") this.#readSystem(fields, before || this.#list.at);
    else if (!BOOKKEEPING.has(fields.type)) this.#list.addRaw(fields.type, fields);
    else
      this.title =
        textOf(fields.customTitle) ?? this.title ?? textOf(fields.aiTitle) ?? textOf(fields.summary);
  }

  #readUser(fields: Fields): void {
    const { content } = fieldsOf(fields.message);
    if (fields.isMeta === true) this.#list.addRaw("user (meta)", fields);
    else if (fields.isCompactSummary === true) this.#compact(contentText(content));
    else if (typeof content === "string") this.#addPrompt(content);
    else if (!Array.isArray(content)) this.#list.addRaw("user", fields);
    else for (const block of content) this.#readUserBlock(fieldsOf(block), fields.toolUseResult);
  }

  #readUserBlock(block: Fields, result: unknown): void {
    if (block.type === "tool_result") this.#addResult(block, result);
    else if (block.type === "text" || block.type === "image") this.#addPrompt(contentText([block]));
    else this.#list.addRaw(block.type, block);
  }

  #compact(summary: string): void {
    const tokens = this.#tokensBefore;
    this.#list.add({ kind: "compaction", summary, ...(tokens !== undefined && { tokensBefore: tokens }) });
    this.#tokensBefore = undefined;
  }

  #addPrompt(text: string): void {
    const isInterruption = /^\[Request interrupted by user/.test(text);
    this.#list.add(isInterruption ? { kind: "turn.ended", how: "interrupted" } : { kind: "prompt", text });
  }

  #addResult(block: Fields, result: unknown): void {
    const text = contentText(block.content);
    const exitCode =
      block.is_error === true ? /^(?:Error: )?Exit code (\d{1,3})\b/.exec(text)?.[1] : undefined;
    this.#list.add({
      kind: "result",
      callId: textOf(block.tool_use_id) ?? "",
      text,
      ...(exitCode !== undefined && { exitCode: Number(exitCode) }),
      ...callEnd(text, block.is_error === true, result),
    });
  }

  #readAssistant(fields: Fields, before: number): void {
    const message = fieldsOf(fields.message);
    const id = textOf(message.id) ?? textOf(fields.uuid) ?? "";
    const blocks = blocksIn(fields);
    if (fields.isApiErrorMessage === true) this.#fail(id, contentText(message.content), before);
    else if (message.model === "<synthetic>") this.#list.addRaw("assistant (synthetic)", fields);
    else if (blocks === undefined) this.#list.addRaw("assistant", fields);
    else this.#readResponse(id, fields, blocks, before);
  }

  #readResponse(id: string, fields: Fields, blocks: readonly Fields[], before: number): void {
    const message = fieldsOf(fields.message);
    if (!this.#open.has(id)) this.#list.add({ kind: "request", id }, before);
    this.#open.add(id);
    for (const block of blocks) this.#addBlock(block, id);
    if (this.#lastOf.get(message.id ?? fields.uuid) !== fields) return;
    const model = textOf(message.model);
    this.#list.add({
      kind: "response",
      id,
      usage: usageOf(fieldsOf(message.usage), fields.costUSD),
      ...(model !== undefined && { model: { provider: "anthropic", id: model } }),
    });
    const isPaused = message.stop_reason === "tool_use" || message.stop_reason === "pause_turn";
    if (!isPaused && !this.#calling.has(id)) this.#list.add({ kind: "turn.ended", how: "done" });
  }

  #addBlock(block: Fields, id: string): void {
    const event = this.#eventOf(block);
    if (event === undefined) this.#list.addRaw(block.type, block);
    else this.#list.add(event);
    if (event?.kind === "call") this.#calling.add(id);
  }

  #eventOf(block: Fields): TranscriptEvent | undefined {
    if (block.type === "text") return { kind: "text", text: textOf(block.text) ?? "" };
    if (block.type === "thinking") {
      const signature = textOf(block.signature);
      return {
        kind: "thinking",
        text: textOf(block.thinking) ?? "",
        ...(signature !== undefined && { signature }),
      };
    }
    const id = textOf(block.id);
    if (block.type !== "tool_use" || id === undefined) return undefined;
    const name = textOf(block.name) ?? "tool";
    return {
      kind: "call",
      id,
      name,
      input: fieldsOf(block.input),
      ...(ASKING.has(name) && { asks: true }),
    };
  }

  /** A message about an error is no response: the session waits for a person. */
  #fail(id: string, error: string, before: number): void {
    this.#list.add({ kind: "request", id }, before);
    this.#list.add({ kind: "response", id, error });
    this.#list.add({ kind: "turn.ended", how: "failed", text: error });
  }

  #readSystem(fields: Fields, before: number): void {
    const { subtype, compactMetadata, error } = fields;
    if (subtype === "compact_boundary") this.#tokensBefore = amountOf(fieldsOf(compactMetadata).preTokens);
    else if (subtype === "api_error") {
      const id = textOf(fields.uuid) ?? "";
      const why = textOf(fieldsOf(error).message) ?? textOf(fields.content) ?? "The request failed.";
      this.#list.add({ kind: "request", id }, before);
      this.#list.add({ kind: "response", id, error: why });
    } else if (subtype !== "turn_duration") this.#list.addRaw(`system ${String(subtype)}`, fields);
  }
}

/** The blocks of a response, or its text as one; undefined if it has no content. */
function blocksIn({ message }: Fields): readonly Fields[] | undefined {
  const { content } = fieldsOf(message);
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.map(fieldsOf) : undefined;
}

/** Tools that ask a person. */
const ASKING: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

function usageOf(usage: Fields, cost: unknown): TranscriptUsage {
  return {
    tokensIn: amountOf(usage.input_tokens),
    tokensOut: amountOf(usage.output_tokens),
    cacheWrites: amountOf(usage.cache_creation_input_tokens),
    cacheReads: amountOf(usage.cache_read_input_tokens),
    cost: typeof cost === "number" ? amountOf(cost) : null,
  };
}

/** Only the text of a result says that the call was denied. */
function callEnd(text: string, isError: boolean, result: unknown): CallEnd {
  if (fieldsOf(result).interrupted === true) return { outcome: "interrupted" };
  if (!isError) return { outcome: "done" };
  const isRejected = typeof result === "string" && /user rejected/i.test(result);
  if (isRejected || /^The user doesn't want to /.test(text)) return { outcome: "denied", by: "person" };
  if (/^Permission to use .* denied/s.test(text))
    return { outcome: "denied", by: { rule: "permission settings" } };
  if (/\bhook\b.*\b(?:denied|blocked|blocking)\b/is.test(text.slice(0, 300)))
    return { outcome: "denied", by: { rule: "hook" } };
  return { outcome: "failed" };
}
