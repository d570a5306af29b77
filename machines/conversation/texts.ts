/**
 * What the model is told beside the results of its tools. The JSON status forms are those that the field's
 * models were trained on; the sentences are ours.
 */

const status = (fields: Readonly<Record<string, string>>): string => JSON.stringify(fields);

/** A person, or a rule, said no. */
export const denied = (): string => status({ status: "denied", message: "The user denied this operation." });

/** A person said no, and why. */
export const deniedWithFeedback = (feedback: string): string => status({ status: "denied", feedback });

/** A person said yes, and something with it. The result follows after it. */
export const approvedWithFeedback = (feedback: string): string => status({ status: "approved", feedback });

/** A call came to nothing. `error` says what went wrong and, where that is known, what to do instead. */
export const toolError = (error: string): string =>
  status({ status: "error", message: "The tool execution failed", error });

/** A person's words after the mistake limit was reached. */
export const guidance = (feedback: string): string => status({ status: "guidance", feedback });

/** A person's words, marked as theirs. */
export const userMessage = (text: string): string => `<user_message>\n${text}\n</user_message>`;

/** The call stood after one that a person rejected. */
export const skippedAfterRejection = (name: string): string =>
  `The call of ${name} was skipped, because the user rejected a call that came before it. It was not executed.`;

/** The task was stopped before the call came to its end. */
export const interrupted = (): string => "The task was interrupted before this tool call could be completed.";

/** The call began and nobody knows how it ended (L12). */
export const uncertain = (name: string): string =>
  `The outcome of ${name} is uncertain: it was started and has no recorded end. It may have taken effect in ` +
  "full, in part or not at all. Find out how things stand before you decide whether to do it again.";

/** The tool gave nothing back. */
export const emptyResult = (): string => "(the tool returned nothing)";

/** An answer without a tool call. */
export const noToolUsed = (): string =>
  "[automatic notice] Your last answer used no tool, so nothing was done. Call tools through the API's own " +
  "tool use. If the task is complete, call attempt_completion. If you need something from the user, call " +
  "ask_followup_question. Otherwise go on with the next step of the task. This notice was not written by " +
  "the user: do not reply to it in words.";

/** The answer reached the output limit: within the call `name`, or within its words. */
export const cutAtLimit = (name?: string): string =>
  name === undefined
    ? "[automatic notice] Your answer was cut at the output limit. Go on from where it ends, in smaller steps."
    : `The call of ${name} was cut at the output limit: its arguments are not whole, so it was not executed. ` +
      "Call it again with shorter arguments, or do the work in several smaller calls.";

/** The call's arguments are not a JSON object that the tool takes. */
export const malformedArguments = (name: string, detail: string): string =>
  `The arguments of ${name} can't be used (${detail}), so it was not executed. ` +
  "Call it again with all its arguments as one complete JSON object.";

/** The same call came too often in a row. */
export const repetition = (name: string): string =>
  `The same call of ${name} came too many times in a row, so it was not executed. ` +
  "Repeating it gives nothing new: try a different approach.";

/** More calls in one answer than are allowed. */
export const callsLimit = (limit: number): string =>
  `One answer may hold at most ${limit} tool calls. This call stands behind the last of them, so it was not ` +
  "executed. Call it again in your next answer if you still need it.";

/** A completion in the same answer as a failed call. */
export const completionBlocked = (): string =>
  "The task can't be completed in the same answer as a tool call that failed. Deal with the failure first, " +
  "then complete the task.";

/** The task goes on after it was interrupted. */
export const resumed = (): string =>
  "[automatic notice] The task was interrupted and is now resumed. Things may have changed in between: " +
  "check what you rely on, then go on.";

/** A command that goes on beside the agent. */
export const commandInBackground = (command: string): string =>
  `The command goes on in the background: ${command}\n` +
  "Its output and its end will be told to you in a later message.";

/**
 * A command in the background has ended. `output` is what it wrote, already bounded; no `exitCode` means that
 * it was ended from outside.
 */
export const backgroundEnded = (command: string, output: string, exitCode: number | undefined): string => {
  const end = exitCode === undefined ? "was ended" : `ended with exit code ${exitCode}`;
  const wrote = output.trim() === "" ? "It wrote nothing more." : `Output:\n${output}`;
  return `The command in the background ${end}: ${command}\n${wrote}`;
};

/** A command that went on in the background when the task's process ended. */
export const backgroundLost = (command: string): string =>
  `The process of the task ended while this command went on in the background: ${command}\n` +
  "Its outcome is uncertain. It may still run. Find out how things stand before you rely on it.";

/** The subtask did what it was for. */
export const subtaskFinished = (childId: string, result: string): string =>
  `Subtask ${childId} completed.\n\nResult:\n${result}`;

/** The subtask was ended before it was done. */
export const subtaskCancelled = (childId: string): string =>
  `Subtask ${childId} was cancelled before it was completed. What it had done by then stays.`;

/** The subtask could not go on. */
export const subtaskFailed = (childId: string, message: string): string =>
  `Subtask ${childId} failed: ${message}`;

/** A call that came behind a subtask in the same answer. */
export const skippedAfterSubtask = (name: string): string =>
  `The call of ${name} was not executed: new_task must be the last call of an answer. ` +
  "Call it again if you still need it, now that the subtask has ended.";
