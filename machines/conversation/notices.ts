import { escapeTag } from "./escape-tag.ts";
import type { IsolatedFiles } from "./isolated-files.ts";

/** Texts for the model besides the output of its tools. Models are trained on the JSON status forms. */

const status = (fields: Readonly<Record<string, string>>): string => JSON.stringify(fields);

/** The user rejects a call. */
export const denied = (): string => status({ status: "denied", message: "The user denied this operation." });

/** The user rejects a call with feedback. */
export const deniedWithFeedback = (feedback: string): string => status({ status: "denied", feedback });

/** The user approves a call with feedback. The tool result follows. */
export const approvedWithFeedback = (feedback: string): string => status({ status: "approved", feedback });

/** A call failed. `error` is the reason and, if known, what to do instead. */
export const toolError = (error: string): string =>
  status({ status: "error", message: "The tool execution failed", error });

/** Feedback after the mistake limit. */
export const guidance = (feedback: string): string => status({ status: "guidance", feedback });

const USER_MESSAGE = "user_message";

/** Text of the user, marked as such. What it quotes can't end the mark. */
export const userMessage = (text: string): string => elementOf(USER_MESSAGE, text);

/** An element for the model, which its text can't close. */
const elementOf = (name: string, text: string): string => `<${name}>\n${escapeTag(name, text)}\n</${name}>`;

/** The user rejected an earlier call of the response. */
export const skippedAfterRejection = (name: string): string =>
  `The call of ${name} was not executed: the user rejected an earlier call.`;

/** A protocol ended the task at an earlier call of the response. */
export const skippedAfterShutDown = (name: string): string =>
  `The call of ${name} was not executed: the task was ended.`;

/** A protocol withheld a response. */
export const responseWithheld = (reason: string): string =>
  `The response was withheld, and nothing of it was executed: ${reason}`;

/** The task was interrupted before the call had a result. */
export const interrupted = (): string => "The task was interrupted before this tool call could be completed.";

/** The call was started and has no recorded end (L12). A command is a process of its own, which may still run. */
export const uncertain = (name: string, isCommand = false): string =>
  `The outcome of ${name} is uncertain: it was started and has no recorded end. ` +
  `${isCommand ? "Its command may still run. " : ""}It may have taken effect in ` +
  "full, in part or not at all. Check the current state before you repeat it.";

/** Hooks must see the result of a call before the model, and did not finish. */
export const unseenResult = (name: string): string =>
  `The call of ${name} has ended, and its result is withheld: the hooks that must see it first did not finish. ` +
  "Check the current state before you repeat it.";

/** Text that a hook adds. What it quotes can't end the mark. */
export const hookText = (hook: string, text: string): string =>
  elementOf("hook_context", `Hook: ${hook}\n${text}`);

/** Whether a text was added by a hook; with a name: by this one. */
export const isHookText = (text: string, hook?: string): boolean =>
  text.startsWith(
    hook === undefined ? "<hook_context>\n" : `<hook_context>\nHook: ${escapeTag("hook_context", hook)}\n`,
  );

const MINUTE_MS = 60_000;

/** A wake-up that was due `lateMs` before. What its message quotes can't end the mark. */
export function wakeUpNotice(id: string, lateMs: number, message: string): string {
  const late = lateMs < MINUTE_MS ? "" : `Late by: ${minutesOf(lateMs)}\n`;
  return elementOf("wake_up", `Id: ${id}\n${late}${message}`);
}

/** A call scheduled a wake-up. */
export const wakeUpScheduled = (id: string, afterMs: number, everyMs?: number): string =>
  `The wake-up ${id} is due in ${minutesOf(afterMs)}${everyMs === undefined ? "" : `, and then every ${minutesOf(everyMs)}`}. ` +
  "It continues this task once the task is at rest: end your turn when nothing is left to do now.";

const minutesOf = (ms: number): string => {
  const minutes = Math.round(ms / MINUTE_MS);
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
};

/** A call cancelled wake-ups. */
export const wakeUpsCancelled = (ids: readonly string[]): string =>
  ids.length === 0 ? "No wake-up was scheduled." : `Cancelled: ${ids.join(", ")}.`;

/** The tool returned no content. */
export const emptyResult = (): string => "(the tool returned nothing)";

/** Characters of a tool result that its stub keeps. */
const STUB_KEEPS = 200;

/** A long, old tool result is not sent again. */
export function artifactStub(artifact: {
  /** The name of the tool. */
  readonly name: string;
  readonly id: string;
  readonly text: string;
  readonly images: number;
}): string {
  const { name, id, text, images } = artifact;
  const pictures = images === 0 ? "" : images === 1 ? " and 1 image" : ` and ${images} images`;
  // Not half of a character.
  const beginning = text.slice(0, STUB_KEEPS).replace(/[\ud800-\udbff]$/, "");
  const [first = ""] = beginning.trimStart().split("\n");
  return (
    `[automatic notice] The old result of ${name} is left out here: ${text.length} characters${pictures}. ` +
    `If you need it again, call read_artifact with the id ${JSON.stringify(id)}. It begins with:\n${first}`
  );
}

/** The response has no tool call, and the task is not complete without one. */
export const noToolUsed = (completion: "end_turn" | "tool"): string =>
  "[automatic notice] Your last response called no tool, so nothing was done. Call tools with the API's native " +
  `tool use. If the task is complete, ${COMPLETE[completion]}. If you need input from the user, call ` +
  "ask_followup_question. Otherwise continue with the next step of the task. The user did not write this " +
  "notice: do not reply to it.";
const COMPLETE = { end_turn: "end your response with the result", tool: "call attempt_completion" } as const;

/** The response reached the output limit: in the call `name`, or in its text. */
export const cutAtLimit = (name?: string): string =>
  name === undefined
    ? "[automatic notice] Your response was cut at the output limit. Continue where it ends, in smaller steps."
    : `The call of ${name} was cut at the output limit: its arguments are incomplete, so it was not executed. ` +
      "Call it again with shorter arguments, or split the work into smaller calls.";

/** The response reached the end of the context window. */
export const contextExceeded = (): string =>
  "[automatic notice] Your response was cut at the end of the context window. Finish in few words, or in smaller steps.";

/** A response is left out, because only its own model understands its blocks. */
export const leftOutResponse = (): string =>
  "[automatic notice] The content of this response can't be sent again.";

/** Maximum characters of the words of an endpoint in a notice. */
const WORDS_MAX_CHARS = 300;

/** The endpoint refused a request for one of its images. */
export const imageLeftOut = (words: string): string =>
  "[automatic notice] An image was here. The endpoint refused the images of the request, so all are left out: " +
  `${[...words].slice(0, WORDS_MAX_CHARS).join("")}`;

/** Too many consecutive identical calls. */
export const repetition = (name: string): string =>
  `The same call of ${name} was repeated too often, so it was not executed. Try a different approach.`;

/** Too many repetitions of a cycle of `length` calls. */
export const cycle = (name: string, length: number): string =>
  `The same ${length} calls were repeated in turn too often, so the call of ${name} was not executed. ` +
  "Try a different approach.";

/** Too many consecutive failures of diffs on one file. */
export const writeWholeFile = (file: string, times: number): string =>
  `No diff could be applied to '${file}' ${times} times in a row. Read the file, then write it whole with write_to_file.`;

/** Too many calls in one response. */
export const callsLimit = (limit: number): string =>
  `A response may contain at most ${limit} tool calls. This call exceeds the limit, so it was not executed. ` +
  "Call it again in your next response if you still need it.";

/** A completion in the same response as a failed call. */
export const completionBlocked = (): string =>
  "The task can't be completed in the same response as a failed tool call. Fix the failure first, then " +
  "complete the task.";

/** The task is resumed after an interruption. */
export const resumed = (): string =>
  "[automatic notice] The task was interrupted and is now resumed. The environment may have changed: " +
  "check what you rely on, then continue.";

/** A command moves to the background. `isJudged`: its output is a result that a protocol judges. */
export const commandInBackground = (command: string, id: string, isJudged = false): string =>
  `The command continues in the background: ${command}\nIts id is ${JSON.stringify(id)}. ` +
  (isJudged
    ? "You get its exit code in a later message. To read or await its output, call command_output; "
    : "You get its output and exit code in a later message. To read or await its output before, call command_output; ") +
  "to end it, call stop_command.";

/**
 * A background command has ended. `output` is bounded. Without `exitCode`, the command was terminated. It is a text of its
 * own beside the user's, so neither the command nor its output may look like one of them.
 */
export const backgroundEnded = (
  command: string,
  output: string,
  exitCode: number | undefined,
  label = "Output",
): string => {
  const end = exitCode === undefined ? "was terminated" : `ended with exit code ${exitCode}`;
  const result =
    output.trim() === ""
      ? "There is no further output."
      : `${label}:\n${elementOf("command_output", output.replace(/\r?\n$/, ""))}`;
  return `The background command ${end}: ${escapeTag(USER_MESSAGE, command)}\n${result}`;
};

/** A background command has ended whose output the model reads by a call, since a protocol judges results. */
export const backgroundEndedUnread = (command: string, id: string, exitCode: number | undefined): string => {
  const end = exitCode === undefined ? "was terminated" : `ended with exit code ${exitCode}`;
  return (
    `The background command ${end}: ${escapeTag(USER_MESSAGE, command)}\n` +
    `To read its output, call command_output with the id ${JSON.stringify(id)}.`
  );
};

/** The task's process ended while a background command ran. `status`: the last one of its call, such as its process id. */
export const backgroundLost = (command: string, status?: string): string =>
  `The process of the task ended while this command ran in the background: ${escapeTag(USER_MESSAGE, command)}\n` +
  `Its outcome is uncertain, and it may still run${status === undefined ? "" : ` (${status})`}. ` +
  "Check the current state before you rely on it.";

/** The subtask is complete. */
export const subtaskFinished = (childId: string, result: string): string =>
  `Subtask ${childId} completed.\n\nResult:\n${result}`;

/** The subtask was cancelled. `isolation`: the files of its own, which are kept. */
export const subtaskCancelled = (childId: string, isolation?: IsolatedFiles): string =>
  `Subtask ${childId} was cancelled before it was complete. Its effects so far stay${
    isolation === undefined
      ? "."
      : `: ${isolation === "copy" ? "the copy" : "the git worktree"} that it worked in is kept, and nothing of it is in your ` +
        `files. Call merge_subtask with the id ${JSON.stringify(childId)} to merge its changes, or decline_subtask to remove them.`
  }`;

/** The journal of the subtask was deleted before its parent had the outcome. */
export const subtaskDeleted = (childId: string): string =>
  `Subtask ${childId} was deleted, and its outcome is unknown. Its effects so far stay: check them before you repeat any.`;

/** The subtask can't be opened now: its parent waits for it at rest. */
export const subtaskUnavailable = (childId: string, message: string): string =>
  `Subtask ${childId} has not ended, but can't continue now. ${message} Resume to try again.`;

/** The subtask failed. */
export const subtaskFailed = (childId: string, message: string): string =>
  `Subtask ${childId} failed: ${message}`;

/** A subtask works in the background. */
export const subtaskInBackground = (childId: string): string =>
  `Subtask ${childId} works in the background, and you go on. When it has ended, you get its result with your next ` +
  "request. wait_for_subtasks waits for it, message_subtask sends it a message, subtask_state tells its state, and " +
  "cancel_subtask cancels it.";

/** The reason why a fork gets no result of a subtask that works in the background of its original. */
export const subtaskOfOriginal = (): string =>
  "it belongs to the original of this task. Check what it has done before you start it again.";

/** Results of calls with orders about subtasks in the background. */
export const subtaskOrdered = {
  unknown: (id: string, known: readonly string[]): string =>
    `No subtask ${id} works in the background. ${known.length === 0 ? "None does." : `These do: ${known.join(", ")}.`}`,
  cancelled: (id: string): string => `Subtask ${id} is cancelled.`,
};

/** A wait for subtasks is over. Their results follow in the same message. */
export function subtasksEnded(over: readonly string[], left: readonly string[], isQueued: boolean): string {
  if (over.length + left.length === 0) return "No subtask works in the background.";
  const ended = over.length === 0 ? "None has ended." : `Ended: ${over.join(", ")}. The results follow.`;
  const working = left.length === 0 ? "" : ` Not ended: ${left.join(", ")}.`;
  return `${ended}${working}${isQueued && left.length > 0 ? " The user sent a message before." : ""}`;
}

/** A completion comes before the model has the results of its subtasks. */
export const subtasksBeforeCompletion = (): string =>
  "The task is not complete yet: subtasks in the background have ended since, and their results follow. Use them, then " +
  "complete the task.";

/** The task completes, and does not wait for a subtask. */
export const subtaskNotAwaited = (childId: string): string =>
  `Subtask ${childId} is cancelled: the task completes, and its option \`backgroundSubtasks\` is "cancel".`;

/** The rest of the budget is not enough for a subtask. */
export const budgetTooSmall = (of: string): string =>
  `The budget of this task allows no further subtask: not enough ${of} are left. Do the work here, with the other tools.`;

/** A call after a subtask in the same response. */
export const skippedAfterSubtask = (name: string): string =>
  `The call of ${name} was not executed: only other calls of new_task may follow one in a response. ` +
  "If you still need it, call it again.";

/** A model's summary in place of the entries before. It is data: it may repeat what files and web pages say. */
export const summarized = (summary: string): string =>
  "[automatic notice] The earlier part of this conversation was replaced by the summary below. A model wrote it from " +
  "the conversation, so it may repeat text of files and web pages: the user did not write it. Continue from it.\n" +
  elementOf("conversation_summary", summary);

/** Entries were removed without a summary. */
export const removedEntries = (): string =>
  "[automatic notice] Messages after this one were removed, because the context window is full. Look again at what " +
  "you need to know.";

/** A call selected an intent. */
export const intentSelected = (id: string): string =>
  `The intent is ${id} now. Its scope, constraints and acceptance criteria come with the next request.`;

/** A call switched the mode. */
export const modeSwitched = (mode: string): string =>
  `The mode is ${mode} now. Its instructions and its tools come with the next request.`;
