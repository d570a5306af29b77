import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import { newestEnvironment } from "../conversation/environment.ts";
import { backgroundEnded, backgroundEndedUnread, commandInBackground } from "../conversation/notices.ts";
import type { Log } from "../message/log.ts";
import type { CallIn } from "../tool-call/call.ts";
import { addFeedback, closeAnsweredAsk, closeAsk, receivedFeedback } from "./asks.ts";
import { toolActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { BrokenInvariantError } from "./errors.ts";
import type { TaskContext } from "./task.context.ts";
import type { BackgroundCommand, OutputRest } from "./task.events.ts";
import { callIn, moveCall } from "./turn.ts";

/** Whether the command of a call runs in the foreground: its output is the open ask. */
export const isForeground = ({ ask }: TaskContext, callId: string): boolean =>
  ask?.ask === "command_output" && ask.callId === callId;

/** Closes the ask of a finished foreground command and appends its whole output as a message (L8). */
export function endCommand(change: Change, callId: string): void {
  if (!isForeground(change.context, callId)) return;
  closeAsk(change, "ended");
  const { output, exitCode } = commandResult(change);
  change.append({
    type: "say",
    say: "command_output",
    text: output,
    callId,
    ...(exitCode !== undefined && { exitCode }),
  });
}

interface CommandEnd {
  readonly output: string;
  readonly exitCode?: number;
  readonly rests?: readonly OutputRest[];
}

function commandResult({ event }: Change): CommandEnd {
  assertEvent(event, ["tool.finished", "tool.failed"]);
  return event.command ?? { output: event.type === "tool.failed" ? event.error : "" };
}

/** Appends output of the foreground command to its ask. */
export function growOutput(change: Change): void {
  const { event } = change;
  assertEvent(event, "tool.output");
  const { ask } = change.context;
  if (ask !== undefined && isForeground(change.context, event.callId)) change.grow(ask.id, event.text);
}

/** Moves the foreground command to the background, as an answer says. The agent continues. */
export function continueInBackground(change: Change): void {
  const call = foregroundCommand(change);
  const feedback = receivedFeedback(change);
  closeAnsweredAsk(change);
  moveToBackground(change, call);
  if (feedback !== undefined) addFeedback(change, feedback);
}

/** Moves the foreground command to the background, as its own call says. The agent continues. */
export function startInBackground(change: Change): void {
  const call = foregroundCommand(change);
  closeAsk(change, "expired");
  moveToBackground(change, call);
}

function moveToBackground(change: Change, call: CallIn<"running">): void {
  const { callId } = call;
  const command = call.review.text;
  const isJudged = change.context.controlled.includes("result");
  const content = [textBlock(commandInBackground(command, callId, isJudged))];
  moveCall(change, call, { type: "settled", outcome: { kind: "done", content } });
  change.set({ background: [...change.context.background, { callId, command }] });
  change.append({ type: "say", say: "tool", callId });
  enforceLimit(change);
}

/** Terminates the oldest background command when there are too many, and reports it (L14). */
function enforceLimit(change: Change): void {
  const { background, limits } = change.context;
  const [oldest] = background;
  if (oldest === undefined || background.length <= limits.background) return;
  stopCommands(change, [oldest]);
  const text = `More than ${limits.background} background commands (the limit \`background\`): "${oldest.command}" was terminated.`;
  change.append({ type: "say", say: "error", text, callId: oldest.callId });
}

/** Terminates the background commands of a cancelled task. */
export function stopBackgroundCommands(change: Change): void {
  stopCommands(change, change.context.background);
}

function stopCommands(change: Change, stopped: readonly BackgroundCommand[]): void {
  if (stopped.length === 0) return;
  const { background, pending } = change.context;
  for (const { callId } of stopped) change.stop("tool", toolActorId(callId));
  const notices = stopped.map(({ command }) => textBlock(backgroundEnded(command, "", undefined)));
  change.set({
    background: background.filter((command) => !stopped.includes(command)),
    pending: [...pending, ...notices],
  });
}

/** The last status that the call of a command reported. A command that began in the background reports its process id. */
export const commandStatus = (log: Log, callId: string): string | undefined =>
  [...log].find((message) => message.ask === "command" && message.callId === callId)?.progressStatus?.text;

/** Aborts the foreground command. Its output so far becomes a message; its end is awaited. */
export function abortCommand(change: Change): void {
  const call = foregroundCommand(change);
  const output = change.context.log.at(-1)?.text ?? "";
  closeAnsweredAsk(change);
  change.append({ type: "say", say: "command_output", text: output, callId: call.callId });
  change.send(toolActorId(call.callId), { type: "tool.abort" });
}

function foregroundCommand({ context }: Change): CallIn<"running"> {
  const call = callIn(context, context.ask?.callId ?? "", "running");
  if (call === undefined) throw new BrokenInvariantError("a command output ask is open and no command runs");
  return call;
}

/** Removes a finished background command. The next request reports its result. */
export function settleBackgroundCommand(change: Change): void {
  const { event } = change;
  assertEvent(event, ["tool.finished", "tool.failed"]);
  const { background, pending } = change.context;
  const ended = background.find(({ callId }) => callId === event.callId);
  if (ended === undefined) return;
  change.stop("tool", toolActorId(event.callId));
  const { output, exitCode, rests = [] } = commandResult(change);
  const rest = unsentRest(change, rests);
  const notice = change.context.controlled.includes("result")
    ? backgroundEndedUnread(ended.command, event.callId, exitCode)
    : rest === undefined
      ? backgroundEnded(ended.command, output, exitCode)
      : backgroundEnded(ended.command, rest, exitCode, "Further output");
  change.set({
    background: background.filter((command) => command !== ended),
    pending: [...pending, textBlock(notice)],
  });
}

/** The output that no request has had. Undefined: all of it. A prepared environment goes with the notice. */
function unsentRest({ context }: Change, rests: readonly OutputRest[]): string | undefined {
  if (rests.length === 0) return undefined;
  const sent = new Set([context.prepared?.environment, newestEnvironment(context.conversation)]);
  return rests.find(({ after }) => sent.has(after))?.output;
}
