import { Writable } from "node:stream";
import { openHistory } from "../../runtime/index.ts";
import type { RecordedTask } from "../../store/index.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { commandLine } from "../run/index.ts";
import {
  OutputWriter,
  printable,
  RowFeed,
  type Style,
  sayTime,
  sayUsage,
  showRow,
  styleOf,
} from "../show/index.ts";
import { TerminalView } from "../terminal/index.ts";
import { inWords } from "./history-error.ts";
import { sayState } from "./list.ts";

export interface ShowFlags {
  readonly format: "text" | "json" | "html";
  /** With the number of the record in which each row was born. */
  readonly seq?: true;
  /** The record that a page opens at. Default: the last. */
  readonly at?: number;
  readonly dataDir: string;
}

/**
 * Shows a task that is on disk: who it is, its rows, and how to go on; or as a page, every moment of it. Nothing is
 * written.
 *
 * @throws CliError where no task is meant, and for a page where it has no such record or the page was not built
 */
export async function show(given: string, { format, seq, at, dataDir }: ShowFlags, io: Io): Promise<void> {
  if (at !== undefined && format !== "html")
    throw new CliError("--at says where a page opens. Expected it beside --format html.");
  const history = openHistory({ dataDir });
  const task = await inWords(async () => history.read(await history.find(given)));
  if (format === "html") {
    const { pageOf } = await import("./show-page.ts");
    io.stdout.write(await inWords(() => pageOf(task, dataDir, at)));
    return;
  }
  if (format === "json") {
    io.stdout.write(`${JSON.stringify({ type: "task", ...task })}\n`);
    return;
  }
  const style = styleOf(io.stdout, io.env);
  io.stdout.write(`${aboutLines(task).join("\n")}\n\n`);
  for (const piece of rowPieces(task, style, seq === true)) io.stdout.write(piece);
  io.stdout.write(`\n${adviceLines(task, dataDir).join("\n")}\n`);
}

function aboutLines(task: RecordedTask): readonly string[] {
  const { id, title, workspace, createdAt, updatedAt, lastSeq, heldBy, forkedFrom, parentId, tail, total } =
    task;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Title", title === "" ? undefined : printable(title)],
    ["Workspace", workspace === undefined ? undefined : printable(workspace)],
    ["State", task.isInterrupted ? `interrupted (${task.state})` : sayState(task)],
    ["Open in", heldBy === undefined ? undefined : `process ${heldBy.pid} on ${heldBy.host}`],
    ["Begun", `${sayTime(createdAt)}, last record ${sayTime(updatedAt)}`],
    ["Used", sayUsage(total)],
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

/** The rows, as a run on a terminal shows them. */
function* rowPieces({ rows }: RecordedTask, style: Style, withSeq: boolean): Generator<string> {
  let shown = "";
  const sink = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      shown += String(chunk);
      done();
    },
  });
  const writer = new OutputWriter(sink);
  const feed = new RowFeed(new TerminalView(writer, style));
  for (const { seq, row } of rows) {
    showRow(row, feed);
    writer.freshLine();
    const text = shown;
    shown = "";
    if (text === "") continue;
    yield withSeq ? numbered(text, seq) : text;
  }
}

const MARGIN = 6;

function numbered(text: string, seq: number): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines
    .map((line, index) => `${(index === 0 ? String(seq) : "").padStart(MARGIN)}  ${line}`.trimEnd())
    .join("\n")
    .concat("\n");
}

function adviceLines(task: RecordedTask, dataDir: string): readonly string[] {
  const { id, lastSeq, heldBy, tail, parentId } = task;
  const goOn = `To go on: ${commandLine(["run", "--session-id", id], dataDir)}`;
  const fork = `To fork:  ${commandLine(["fork", id, "--at", String(lastSeq)], dataDir)}`;
  if (tail?.kind === "damaged")
    return ["It can be read up to the damage and not go on; a fork of what is shown here can.", fork];
  if (heldBy !== undefined) return [fork];
  if (parentId !== undefined)
    return [`To go on: ${commandLine(["run", "--session-id", task.rootId ?? parentId], dataDir)}`, fork];
  return [goOn, fork];
}
