import type { Checkpoints } from "../../adapters/checkpoints/checkpoints.ts";
import { printable } from "../../client/printable/printable.ts";
import type { RecordedMessage } from "../../store/task-history/recorded-task.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { CliError } from "../error.ts";
import { withCliErrors } from "../store-error.ts";
import { assertAtRest } from "./at-rest.ts";
import { checkpointAt } from "./checkpoint-at.ts";
import { messageLine } from "./message-line.ts";
import type { NextTask } from "./next-task.ts";
import { assertStarted, savedTasks } from "./saved-tasks.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";
import {
  compare,
  isYes,
  nameOf,
  openTaskCheckpoints,
  type Restorable,
  restoreFiles,
  showRestore,
} from "./task-checkpoints.ts";

/** Messages that are listed, the newest ones. */
const LISTED_MAX = 20;
/** Maximum characters shown of a message. */
const TEXT_CHARS_MAX = 70;

/** `/rewind`: continues before an earlier message of the user, in a copy of the task and with the files of that time. */
export const rewindCommand: SlashCommand = {
  usage: "/rewind",
  about: "go back to one of your messages, with the files of that time; the task stays in the history",
  run: rewind,
};

/** The files that a rewind restores. */
interface FilesThen extends Restorable {
  readonly checkpoints: Checkpoints;
}

async function rewind(context: SlashContext): Promise<void> {
  const { root, say, ask, changeTo } = context;
  const history = savedTasks(context);
  assertStarted(context);
  assertAtRest(context, "rewind it");
  const message = await choose(context, history);
  if (message === undefined) return;
  const files = await filesAt(context, message.row.ts);
  if (files !== undefined) showRestore(context, files, "The rewind includes all of them.");
  const what =
    files === undefined ? "the conversation? The files stay." : "the conversation and these files?";
  if (!isYes(await ask(`Rewind ${what} y/n: `))) {
    say("Nothing was changed.");
    return;
  }
  // The task may have continued in the meantime.
  assertAtRest(context, "rewind it");
  const copy = await forkBefore(context, history, message);
  if (files !== undefined) await restore(context, history, files, copy.id);
  say(`Rewound to before: ${titleOf(message)}. To go back: /resume ${root.id}`);
  changeTo(copy);
}

/** Let the user choose one of their messages. Undefined where none was chosen. */
async function choose(
  { root, say, ask }: SlashContext,
  history: TaskHistory,
): Promise<RecordedMessage | undefined> {
  await root.flushed();
  const { rows } = await withCliErrors(() => history.read(root.id));
  const prompt = rows.find(({ row }) => row.say === "text");
  const typed = rows.filter((each) => each === prompt || each.row.say === "user_feedback").slice(-LISTED_MAX);
  for (const [index, message] of typed.entries())
    say(`${String(index + 1).padStart(2)}. ${timeOf(message)}  ${titleOf(message)}`);
  const answer = (await ask("Go back to before which one? A number, or Enter for none: ")).trim();
  if (answer === "") return undefined;
  const chosen = /^\d{1,2}$/.test(answer) ? typed[Number(answer) - 1] : undefined;
  if (chosen !== undefined) return chosen;
  throw new CliError(`Expected a number from 1 to ${typed.length}, received '${printable(answer)}'.`);
}

const timeOf = ({ row }: RecordedMessage): string => new Date(row.ts).toLocaleTimeString("en-GB");

const titleOf = ({ row }: RecordedMessage): string => messageLine(row.text ?? "", TEXT_CHARS_MAX);

/** Undefined where the files are the same, or no checkpoint has them. */
async function filesAt(context: SlashContext, ts: number): Promise<FilesThen | undefined> {
  const checkpoint = checkpointAt(context.root.log.toArray(), ts);
  if (checkpoint === undefined) return undefined;
  const checkpoints = await openTaskCheckpoints(context);
  const found = await compare(checkpoints, { hash: checkpoint.hash, name: nameOf(checkpoint) });
  return found && { checkpoints, ...found };
}

/**
 * A copy of the task up to a message, or a new task for the first one. A message that was queued is still in the queue of
 * the copy: only the messages before it stay there.
 */
async function forkBefore(
  { root }: SlashContext,
  history: TaskHistory,
  message: RecordedMessage,
): Promise<NextTask> {
  const { rows } = await withCliErrors(() => history.read(root.id));
  if (!rows.some(({ seq }) => seq < message.seq)) return { id: undefined };
  const { id } = await withCliErrors(() => history.fork(root.id, { at: message.seq - 1 }));
  const { queue } = await withCliErrors(() => history.read(id));
  const sent = rows.filter(({ seq, row }) => seq === message.seq && row.say === "user_feedback");
  const at = sent.findIndex(({ row }) => row.ts === message.row.ts);
  return queue[at]?.text === message.row.text ? { id, queued: at } : { id };
}

/** @throws CliError for files that were not restored; then there is no copy */
async function restore(
  { say }: SlashContext,
  history: TaskHistory,
  files: FilesThen,
  id: string | undefined,
): Promise<void> {
  try {
    await restoreFiles(files.checkpoints, files, (undo) => say(`To undo the files: /undo ${undo}`));
  } catch (error) {
    if (id !== undefined) await withCliErrors(() => history.delete(id));
    throw error;
  }
}
