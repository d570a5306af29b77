import type { Entry } from "../../../machines/conversation/entry.ts";
import { parseJson } from "../../../machines/message/json.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { ROO_FILES } from "../../../wire/roo/error.ts";
import { fromRoo } from "../../../wire/roo/from-roo.ts";
import { parseHistoryItem } from "../../../wire/roo/history-item.ts";
import { EntryList } from "./entry-list.ts";
import { groupedBy } from "./grouped.ts";
import { type Fields, fieldsOf, listOf, taskIdOf, textOf } from "./json-fields.ts";
import type { LoadedFile } from "./loaded-file.ts";
import type { Transcript } from "./transcript.ts";

/** Whether the file is of a task folder of Roo Code or Cline: by its content, and the summary by its name. */
export const isRoo = (record: Fields, { name, value }: LoadedFile): boolean =>
  baseOf(name) === ROO_FILES.history
    ? textOf(record.task) !== undefined
    : isMessages(value) || isEntries(value);

const isMessages = (value: unknown): boolean => {
  const { ts, type } = fieldsOf(listOf(value)[0]);
  return typeof ts === "number" && (type === "ask" || type === "say");
};

const isEntries = (value: unknown): boolean => {
  const { role, content } = fieldsOf(listOf(value)[0]);
  return (role === "user" || role === "assistant") && content !== undefined;
};

const baseOf = (name: string): string => /[^/\\]*$/.exec(name)?.[0] ?? name;
const folderOf = (name: string): string => name.slice(0, Math.max(0, name.length - baseOf(name).length - 1));

/** Read task folders of Roo Code and Cline: the files of a folder are one session. */
export function readRoo(files: readonly LoadedFile[]): readonly Transcript[] {
  return [...groupedBy(files, ({ name }) => folderOf(name))].map(([folder, own]) => readTask(folder, own));
}

function readTask(folder: string, files: readonly LoadedFile[]): Transcript {
  const ui = files.find(({ value }) => isMessages(value));
  const api = files.find(({ value }) => isEntries(value));
  const history = files.find(({ name }) => baseOf(name) === ROO_FILES.history);
  const { messages, conversation, report } = fromRoo({ ui: listOf(ui?.value), api: listOf(api?.value) });
  const { item, report: itemReport } = parseHistoryItem(history?.text ?? "{}");
  const list = new EntryList();
  addAll(list, messages, conversation);
  // Asks and requests without a recorded end are usual.
  for (const { file, index, what } of [...report, ...itemReport].filter(({ rule }) => rule === "format"))
    list.problems.push({ where: `${folder === "" ? "" : `${folder}/`}${file}, entry ${index}`, what });
  const id =
    textOf(fieldsOf(parseJson(history?.text ?? "")).id) ?? (baseOf(folder) || `roo-${messages[0]?.ts ?? 0}`);
  const name = /claude-dev|cline/i.test(folder.replace(/roo-cline/gi, "")) ? "Cline" : "Roo Code";
  return {
    format: { name },
    taskId: taskIdOf(id),
    createdAt: messages[0]?.ts ?? 0,
    ...(item.workspace !== undefined && { workspace: item.workspace }),
    ...(item.parentTaskId !== undefined && { parent: { taskId: taskIdOf(item.parentTaskId), callId: "" } }),
    entries: list.entries,
    problems: list.problems,
  };
}

/** The messages, each after the entries of the conversation that it counts. */
function addAll(list: EntryList, messages: readonly ClineMessage[], conversation: readonly Entry[]): void {
  let next = 0;
  const addEntries = (until: number): void => {
    for (const entry of conversation.slice(next, until)) list.add({ kind: "entry", entry });
    next = Math.max(next, until);
  };
  for (const message of messages) {
    addEntries(message.conversationHistoryIndex ?? 0);
    list.at = message.ts;
    list.add({ kind: "message", message });
  }
  addEntries(conversation.length);
}
