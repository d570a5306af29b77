import { Writable } from "node:stream";
import { Option } from "commander";
import { printable } from "../../client/printable/printable.ts";
import { endErrorOf } from "../../machines/message/end-error.ts";
import { formatOwnFiles } from "../../present/own-files.ts";
import { plural } from "../../present/plural.ts";
import { taskStatus } from "../../present/task-status.ts";
import { entriesOf } from "../../store/ledger/derivation.ts";
import type { LedgerEntry } from "../../store/ledger/entry.ts";
import type { RecordedMessage, RecordedTask } from "../../store/task-history/recorded-task.ts";
import type { OwnFiles } from "../../wire/own-files.ts";
import { recordFrom } from "../arguments.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { DATA_DIR } from "../options.ts";
import { formatCache, formatTime, formatUsage, formatWrite } from "../show/format.ts";
import { MessageFeed, showMessage } from "../show/message-feed.ts";
import { OutputWriter } from "../show/output-writer.ts";
import { createStyle, type Style } from "../show/style.ts";
import { endedCalls, readSubtaskNames, type SubtaskNames } from "../show/subtask-names.ts";
import { addTaskStoreOptions, type TaskReader, type TaskStoreFlags, withTaskStore } from "../task-store.ts";
import { TerminalView } from "../terminal/view.ts";
import type { Define } from "./command.ts";

interface ShowFlags extends TaskStoreFlags {
  readonly format: "text" | "json" | "html";
  /** Whether each message is shown with the number of its first record. */
  readonly seq?: true;
  /** The record that a page opens at. Default: the last. */
  readonly at?: number;
  /** Whether a page has no secrets. */
  readonly maskSecrets?: true;
  readonly dataDir: string;
}

export const define: Define = (command, { io }) => {
  command
    .argument("<id>", "task id, or a prefix of it")
    .option("--seq", "show record numbers, for fork --at")
    .option(
      "--at <seq>",
      "with --format html: record at which the page opens (default: the last)",
      recordFrom(0, "--seq shows the numbers"),
    )
    .option("--mask-secrets", "with --format html: replace secrets by [masked]")
    .option(...DATA_DIR)
    .addOption(
      new Option("--format <format>", "output format; html is the visual debugger in one file")
        .choices(["text", "json", "html"])
        .default("text"),
    );
  addTaskStoreOptions(command).action((id: string, flags: ShowFlags) => show(id, flags, io));
};

/**
 * Show a task of the task history: its properties, its messages, and how to resume it; or its trace as a page. Writes
 * nothing.
 *
 * @throws CliError for an unknown task or record, and for a page that was not built
 */
function show(given: string, flags: ShowFlags, io: Io): Promise<void> {
  const { format, seq, at, maskSecrets } = flags;
  const ofPages = [at !== undefined && "--at", maskSecrets && "--mask-secrets"].find(Boolean);
  if (ofPages && format !== "html")
    throw new CliError(`${ofPages} requires --format html. Add --format html.`);
  const style = createStyle(io.stdout, io.env);
  const onMasked =
    maskSecrets && ((places: number) => io.stderr.write(`Masked ${plural(places, "place")}.\n`));
  return withTaskStore(flags, io, async (store) => {
    const task = await store.history.read(await store.history.find(given));
    const options = { format, store, style, withSeq: seq === true, at, onMasked };
    for await (const piece of formatTask(task, options)) io.stdout.write(piece);
  });
}

interface TaskFormat {
  readonly format: ShowFlags["format"];
  readonly store: TaskReader;
  readonly style: Style;
  readonly withSeq?: boolean;
  readonly at?: number | undefined;
  /** Called with the number of masked places of a page. Undefined: nothing is masked. */
  readonly onMasked?: ((places: number) => void) | undefined;
}

/** Format a recorded task, piece by piece. @throws CliError for a page that was not built */
export async function* formatTask(
  task: RecordedTask,
  { format, store, style, withSeq = false, at, onMasked }: TaskFormat,
): AsyncGenerator<string> {
  if (format === "html") {
    const { createTaskPage } = await import("../show/show-page.ts");
    const masksSecrets = onMasked !== undefined;
    const { html, maskedPlaces } = await createTaskPage(task, store, { at, masksSecrets });
    yield html;
    onMasked?.(maskedPlaces);
    return;
  }
  const writes = await writesOf(task, store);
  if (format === "json") {
    const { settlement: _, ...shown } = task;
    yield `${JSON.stringify({ type: "task", ...shown, writes })}\n`;
    return;
  }
  const files = await store.history.ownFiles([task.id]);
  yield `${formatFacts(task, files.get(task.id)).join("\n")}\n\n`;
  const names = await namesIn(task, store);
  yield* formatMessages(itemsOf(task, writes), style, { withSeq, names });
  yield `\n${formatHints(task, store).join("\n")}\n`;
}

/** The files that a task wrote, up to its last record. */
async function writesOf(
  { id, lastSeq }: RecordedTask,
  { journal }: TaskReader,
): Promise<readonly LedgerEntry[]> {
  const { entries } = await entriesOf(id, journal(id));
  return entries.filter(({ sequence }) => sequence <= lastSeq);
}

/** The names of the subtasks whose ends are among the messages of a task. */
function namesIn({ id, rootId = id, rows }: RecordedTask, { journal }: TaskReader): Promise<SubtaskNames> {
  const calls = endedCalls(rows.map(({ row }) => row));
  return readSubtaskNames(journal(id), calls, id.slice(rootId.length + 1));
}

/** The status in words. The unusable part of the journal has a line of its own. */
function formatStatus({ problem: _, ...task }: RecordedTask): string {
  const { word, reason } = taskStatus(task);
  return reason === "" ? word : `${word}: ${printable(reason)}`;
}

function formatFacts(task: RecordedTask, files: OwnFiles | undefined): readonly string[] {
  const { id, title, workspace, createdAt, updatedAt, lastSeq, heldBy, forkedFrom, parentId, tail, total } =
    task;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Title", title === "" ? undefined : printable(title)],
    ["Workspace", workspace === undefined ? undefined : printable(workspace)],
    ["State", formatStatus(task)],
    ["Open in", heldBy === undefined ? undefined : `process ${heldBy.pid} on ${heldBy.host}`],
    ["Created", `${formatTime(createdAt)}, last record ${formatTime(updatedAt)}`],
    ["Mode", task.mode],
    ["Model", task.model === undefined ? undefined : printable(task.model)],
    ["Files", files === undefined ? undefined : formatFiles(files, parentId)],
    ["Intent", formatIntent(task)],
    ["Used", formatUsage(total)],
    ["Cache", formatCache(total)],
    ["Records", `0 to ${lastSeq}`],
    ["Fork of", forkedFrom === undefined ? undefined : `${forkedFrom.taskId} at ${forkedFrom.seq}`],
    ["Subtask of", parentId],
    [
      tail?.kind === "damaged" ? "Damaged" : "Torn",
      tail === undefined ? undefined : `from line ${tail.line} on: ${printable(tail.reason)}`,
    ],
  ];
  return [
    `Task ${id}`,
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(11)}${value}`])),
  ];
}

/** `merged by a person at 2026-11-22 14:05`. Undefined for files that were not changed. */
function formatFiles(files: OwnFiles, parentId: string | undefined): string | undefined {
  const text = formatOwnFiles(files, parentId);
  if (text === "") return undefined;
  return printable(files.at === undefined ? text : `${text} at ${formatTime(files.at)}`);
}

function formatIntent({ intent }: RecordedTask): string | undefined {
  if (intent == null) return undefined;
  return intent.stage === "selected" ? printable(intent.id) : "none is selected yet";
}

/** Format the messages as on a terminal, and the writes between them. */
function* formatMessages(
  items: readonly Item[],
  style: Style,
  { withSeq, names }: { readonly withSeq: boolean; readonly names: SubtaskNames },
): Generator<string> {
  let shown = "";
  const sink = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      shown += String(chunk);
      done();
    },
  });
  const writer = new OutputWriter(sink);
  const view = new TerminalView(writer, style, undefined, { subtaskOf: (callId) => names.get(callId) });
  const feed = new MessageFeed(view);
  for (const { seq, row, write } of items) {
    if (row !== undefined) showMessage(row, feed);
    if (write !== undefined) writer.line(style.dim(`  ${printable(formatWrite(write))}`));
    writer.freshLine();
    const text = shown;
    shown = "";
    if (text === "") continue;
    yield withSeq ? formatNumbered(text, seq) : text;
  }
}

/** A message or a write, with the number of its record. */
interface Item extends Partial<RecordedMessage> {
  readonly seq: number;
  readonly write?: LedgerEntry;
}

/** The messages, each behind the writes that were recorded before it. */
function itemsOf({ rows }: RecordedTask, writes: readonly LedgerEntry[]): readonly Item[] {
  const left: Item[] = writes.map((write) => ({ seq: write.sequence, write }));
  const items = rows.flatMap((message): readonly Item[] => {
    const later = left.findIndex(({ seq }) => seq > message.seq);
    return [...left.splice(0, later === -1 ? left.length : later), message];
  });
  return [...items, ...left];
}

const MARGIN = 6;

function formatNumbered(text: string, seq: number): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines
    .map((line, index) => `${(index === 0 ? String(seq) : "").padStart(MARGIN)}  ${line}`.trimEnd())
    .join("\n")
    .concat("\n");
}

function formatHints(task: RecordedTask, { commandLine, resumeLine }: TaskReader): readonly string[] {
  const { id, lastSeq, heldBy, tail, parentId, rows } = task;
  // A subtask is resumed with its root task.
  const resumed = parentId === undefined ? id : (task.rootId ?? parentId);
  const resume = `To resume: ${resumeLine(resumed)}`;
  const fork = `To fork:   ${commandLine(["fork", id, "--at", String(lastSeq)])}`;
  if (tail?.kind === "damaged")
    return [
      "The journal is damaged, so the task can't be resumed. A fork of the records shown here can.",
      fork,
    ];
  if (endErrorOf(rows.map(({ row }) => row))?.code === "shut_down")
    return [
      "The control protocol ended the task, so it can't be resumed, and no request follows in a fork of its end.",
      `To fork an earlier record: ${commandLine(["fork", id, "--at", "SEQ"])} (show --seq has the numbers)`,
    ];
  return heldBy === undefined ? [resume, fork] : [fork];
}
