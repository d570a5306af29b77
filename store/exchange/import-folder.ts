import { textBlock } from "../../machines/conversation/blocks.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import { detectAgentState } from "../../machines/message/detect.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { requestInfo } from "../../machines/message/request.ts";
import { resultOf } from "../../machines/message/result.ts";
import { addUsage, NO_USAGE } from "../../machines/task/request.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { JOURNAL_VERSION, type JournalDraft, type JournalHeader } from "../../wire/journal/record.ts";
import { ExchangeError, ROO_FILES } from "../../wire/roo/error.ts";
import { fromRoo } from "../../wire/roo/from-roo.ts";
import { parseHistoryItem } from "../../wire/roo/history-item.ts";
import type { Repair } from "../../wire/roo/report.ts";
import { encodeLine } from "../journal/line.ts";
import { readList, readText } from "./files.ts";
import { wellFormedList } from "./well-formed.ts";

type ImportedItem = ReturnType<typeof parseHistoryItem>["item"];

const DEFAULT_FILE_BYTES_MAX = 256 * 1024 * 1024;

/** Options of {@link importFolder}. */
export interface ImportOptions {
  /** The journal to write. It must be empty. */
  readonly driver: JournalDriver;
  readonly taskId: string;
  /** Time of the import, in ms since the epoch. */
  readonly importedAt: number;
  /** Time of the task's creation, in ms since the epoch. Default: the time of its first message. */
  readonly createdAt?: number;
  /** The task's workspace. Default: the one in `history_item.json`. */
  readonly workspace?: string;
  /** Maximum size of a file, in bytes. Default 268,435,456 (256 MiB). */
  readonly fileBytesMax?: number;
}

/** Result of an import. */
export interface Imported {
  readonly taskId: string;
  /** Number of messages. */
  readonly rows: number;
  /** Number of entries of the conversation. */
  readonly entries: number;
  /** Fixes that the import made. */
  readonly report: readonly Repair[];
}

/**
 * Import a Roo Code task folder (`ui_messages.json`, `api_conversation_history.json`, `history_item.json`) into a journal.
 * One of the first two may be missing, and so may the last. Invalid fields of the last are reported, and the rest is
 * imported. The journal is durable when it resolves; the task then opens like an interrupted one.
 *
 * @throws ExchangeError `EXCHANGE_INVALID` (a file is not a JSON array), `EXCHANGE_MISSING`, `EXCHANGE_EMPTY`,
 * `EXCHANGE_TOO_LARGE`, `EXCHANGE_IO`; JournalError, `JOURNAL_EXISTS` if the journal has records
 */
export async function importFolder(dir: string, options: ImportOptions): Promise<Imported> {
  const { driver, taskId, importedAt } = options;
  const bytes = options.fileBytesMax ?? DEFAULT_FILE_BYTES_MAX;
  const ui = await readList(dir, ROO_FILES.ui, bytes);
  const api = await readList(dir, ROO_FILES.api, bytes);
  if (ui === undefined && api === undefined)
    throw new ExchangeError(
      "EXCHANGE_MISSING",
      `${dir}: expected ${ROO_FILES.ui} or ${ROO_FILES.api}, found neither. Give the folder of one task.`,
    );
  const uiList = wellFormedList(ui ?? [], ROO_FILES.ui);
  const apiList = wellFormedList(api ?? [], ROO_FILES.api);
  const read = fromRoo({ ui: uiList.values, api: apiList.values });
  const summary = parseHistoryItem((await readText(dir, ROO_FILES.history, bytes)) ?? "{}");
  const { messages, report } = read.messages.length > 0 ? read : withPrompt(read, importedAt);
  const [first] = messages;
  if (first === undefined)
    throw new ExchangeError(
      "EXCHANGE_EMPTY",
      `${dir}: expected messages or entries, found none. Choose the folder of a task.`,
    );
  const header: JournalDraft = {
    seq: 0,
    kind: "header",
    version: JOURNAL_VERSION,
    taskId,
    createdAt: options.createdAt ?? first.ts,
    ...headerFields(summary.item),
    ...(options.workspace !== undefined && { workspace: options.workspace }),
  };
  const commit = commitOf(messages, read.conversation, importedAt, summary.item.mode);
  await driver.append([header, commit].map(encodeLine), { first: true });
  return {
    taskId,
    rows: messages.length,
    entries: read.conversation.length,
    report: [
      ...uiList.report,
      ...apiList.report,
      ...report,
      ...summary.report,
      ...lostStatus(summary.item, messages),
    ],
  };
}

/** The tool call that started an imported subtask is not known: no call has this id. */
const UNKNOWN_CALL = "";

function headerFields({ workspace, parentTaskId, rootTaskId }: ImportedItem): Partial<JournalHeader> {
  return {
    ...(workspace !== undefined && { workspace }),
    ...(parentTaskId !== undefined && {
      parent: { taskId: parentTaskId, rootId: rootTaskId ?? parentTaskId, callId: UNKNOWN_CALL },
    }),
  };
}

/** The status follows from the messages (L1); reports one that does not. */
function lostStatus({ status }: ImportedItem, messages: readonly ClineMessage[]): readonly Repair[] {
  const isCompleted = COMPLETED.has(messages.at(-1)?.ask);
  const lost = (what: string): Repair => ({ file: ROO_FILES.history, index: 0, rule: "format", what });
  if (status === "delegated")
    return [lost("The status delegated was left out: the task no longer waits for its subtask.")];
  if (status === "completed" && !isCompleted)
    return [lost("The status completed was left out: the messages do not end with a completion.")];
  return [];
}

function commitOf(
  messages: readonly ClineMessage[],
  conversation: readonly Entry[],
  at: number,
  mode: string | undefined,
): JournalDraft {
  const completion = completionOf(messages, conversation);
  const result = resultOf(messages);
  return {
    seq: 1,
    kind: "commit",
    at,
    cause: { type: "task.imported", at },
    before: "no_task",
    after: detectAgentState(messages).state,
    log: [{ type: "log.replaced", messages }],
    conversation: conversation.map((entry) => ({ type: "entry.appended" as const, entry })),
    ...(completion !== undefined && { calls: [completion] }),
    facts: { total: usageOf(messages), ...(result && { result }), ...(mode !== undefined && { mode }) },
  };
}

const COMPLETED: ReadonlySet<string | undefined> = new Set(["completion_result", "resume_completed_task"]);

/** The tool call that completed the task: the user's next message is its result. */
function completionOf(
  messages: readonly ClineMessage[],
  conversation: readonly Entry[],
): RecordedCall | undefined {
  const response = conversation.at(-1);
  if (response?.role !== "assistant" || !COMPLETED.has(messages.at(-1)?.ask)) return undefined;
  const call = response.content.findLast((block) => block.type === "tool_use");
  if (call?.name !== "attempt_completion") return undefined;
  return { phase: "asking", callId: call.id, toolUseId: call.id, name: call.name, ask: "completion_result" };
}

/** Without messages, make one from the prompt in the conversation. */
function withPrompt(
  { conversation, report }: Pick<ReturnType<typeof fromRoo>, "conversation" | "report">,
  ts: number,
): { readonly messages: readonly ClineMessage[]; readonly report: readonly Repair[] } {
  if (conversation.length === 0) return { messages: [], report };
  const prompt = conversation[0]?.content.find((block) => block.type === "text") ?? textBlock("");
  const what = "There are no messages; one was made from the prompt in the conversation.";
  return {
    messages: [{ ts, type: "say", say: "text", text: prompt.text }],
    report: [{ file: ROO_FILES.ui, index: 0, rule: "format", what }, ...report],
  };
}

/** Total usage of the requests in a log. */
export function usageOf(messages: readonly ClineMessage[]): Usage {
  return messages.reduce(
    (total, message) => addUsage(total, { ...NO_USAGE, ...amountsOf(message) }),
    NO_USAGE,
  );
}

function amountsOf(message: ClineMessage): Partial<Usage> {
  const { apiProtocol, cancelReason, streamingFailedMessage, ...amounts } = requestInfo(message) ?? {};
  return amounts;
}
