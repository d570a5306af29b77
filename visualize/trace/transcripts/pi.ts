import { EntryList } from "./entry-list.ts";
import {
  amountOf,
  contentText,
  type Fields,
  fieldsOf,
  jsonLines,
  listOf,
  stemOf,
  taskIdOf,
  textOf,
  timeOf,
} from "./json-fields.ts";
import type { LoadedFile } from "./loaded-file.ts";
import type { Transcript, TranscriptUsage } from "./transcript.ts";

/** Whether the record is of a session of pi. */
export const isPi = ({ type, cwd, id, message }: Fields): boolean =>
  (type === "session" && textOf(cwd) !== undefined && textOf(id) !== undefined) ||
  (type === "message" && textOf(fieldsOf(message).role) !== undefined);

/** Records about the editor of the session, not about the task. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set([
  "label",
  "model_change",
  "session",
  "session_info",
  "thinking_level_change",
]);

/** Read sessions of pi: one session per file, with all its branches in the order of the file. */
export const readPi = (files: readonly LoadedFile[]): readonly Transcript[] => files.map(readSession);

function readSession({ name, text }: LoadedFile): Transcript {
  const list = new EntryList();
  const lines = jsonLines(text, name);
  for (const line of lines) {
    if ("problem" in line) list.addProblem(line);
    else readRecord(list, line.fields);
  }
  const records = lines.flatMap((line) => ("fields" in line ? [line.fields] : []));
  const { version, id, cwd, timestamp } = records.find(({ type }) => type === "session") ?? {};
  const title = textOf(records.findLast(({ type }) => type === "session_info")?.name);
  const workspace = textOf(cwd);
  return {
    format: { name: "pi", version: `format ${amountOf(version) || 1}` },
    taskId: taskIdOf(textOf(id) ?? stemOf(name)),
    createdAt: timeOf(timestamp) ?? list.entries[0]?.at ?? 0,
    ...(title !== undefined && { title }),
    ...(workspace !== undefined && { workspace }),
    entries: list.entries,
    problems: list.problems,
  };
}

function readRecord(list: EntryList, fields: Fields): void {
  const before = list.at;
  list.at = timeOf(fields.timestamp) ?? before;
  if (fields.type === "message") readMessage(list, fieldsOf(fields.message), before || list.at);
  else if (fields.type === "compaction") addCompaction(list, fields);
  else if (!BOOKKEEPING.has(fields.type)) list.addRaw(fields.type, fields);
}

function addCompaction(list: EntryList, { summary, tokensBefore }: Fields): void {
  list.add({ kind: "compaction", summary: textOf(summary) ?? "", tokensBefore: amountOf(tokensBefore) });
}

function readMessage(list: EntryList, message: Fields, before: number): void {
  const { role, content } = message;
  if (role === "user") list.add({ kind: "prompt", text: contentText(content) });
  else if (role === "assistant") readResponse(list, message, before);
  else if (role === "toolResult")
    list.add({
      kind: "result",
      callId: textOf(message.toolCallId) ?? "",
      text: contentText(content),
      outcome: message.isError === true ? "failed" : "done",
    });
  else list.addRaw(`message (${String(role)})`, message);
}

function readResponse(list: EntryList, message: Fields, before: number): void {
  const id = `request-${list.entries.length}`;
  list.add({ kind: "request", id }, before);
  for (const block of listOf(message.content).map(fieldsOf)) addBlock(list, block);
  const error =
    message.stopReason === "error" ? (textOf(message.errorMessage) ?? "The request failed.") : undefined;
  const model = textOf(message.model);
  list.add({
    kind: "response",
    id,
    usage: usageOf(fieldsOf(message.usage)),
    ...(model !== undefined && { model: { provider: textOf(message.provider) ?? "unknown", id: model } }),
    ...(error !== undefined && { error }),
  });
  if (error !== undefined) list.add({ kind: "turn.ended", how: "failed", text: error });
  if (message.stopReason === "aborted") list.add({ kind: "turn.ended", how: "interrupted" });
  if (message.stopReason === "stop" || message.stopReason === "length")
    list.add({ kind: "turn.ended", how: "done" });
}

function addBlock(list: EntryList, block: Fields): void {
  const id = textOf(block.id);
  if (block.type === "text") list.add({ kind: "text", text: textOf(block.text) ?? "" });
  else if (block.type === "thinking") list.add({ kind: "thinking", text: textOf(block.thinking) ?? "" });
  else if (block.type === "toolCall" && id !== undefined)
    list.add({ kind: "call", id, name: textOf(block.name) ?? "tool", input: fieldsOf(block.arguments) });
  else list.addRaw(block.type, block);
}

function usageOf(usage: Fields): TranscriptUsage {
  const { total } = fieldsOf(usage.cost);
  return {
    tokensIn: amountOf(usage.input),
    tokensOut: amountOf(usage.output),
    cacheWrites: amountOf(usage.cacheWrite),
    cacheReads: amountOf(usage.cacheRead),
    cost: typeof total === "number" ? amountOf(total) : null,
  };
}
