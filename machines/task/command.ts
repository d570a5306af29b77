import { assertEvent } from "xstate";
import { backgroundEnded, commandInBackground, textBlock } from "../conversation/index.ts";
import type { CallIn } from "../tool-call/index.ts";
import { closeAsk } from "./asks.ts";
import { toolActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { answerOf, closeAnswered } from "./decide.ts";
import { BrokenInvariantError } from "./errors.ts";
import { withFeedback } from "./results.ts";
import type { BackgroundCommand } from "./task.types.ts";
import { callIn, setCall, toSettled } from "./turn.ts";
import { feedbackOf, hear } from "./words.ts";

/** Where the call is the command that is shown: its ask ends with it, and its whole output is a row (L8). */
export function endCommand(change: Change, callId: string): void {
  const { event } = change;
  assertEvent(event, ["tool.finished", "tool.failed"]);
  if (change.context.ask?.callId !== callId) return;
  closeAsk(change, "ended");
  const { output, exitCode } = event.command ?? { output: event.type === "tool.failed" ? event.error : "" };
  change.append({
    type: "say",
    say: "command_output",
    text: output,
    callId,
    ...(exitCode !== undefined && { exitCode }),
  });
}

/** More output of the command that is shown. */
export function growOutput(change: Change): void {
  const { event } = change;
  assertEvent(event, "tool.output");
  const { ask } = change.context;
  if (ask?.callId === event.callId) change.grow(ask.id, event.text);
}

/** The agent goes on; the command goes on beside it. */
export function continueBeside(change: Change): void {
  const call = shownCommand(change);
  closeAnswered(change);
  const feedback = feedbackOf(answerOf(change).answer);
  const command = call.review.text;
  const told = [textBlock(commandInBackground(command))];
  setCall(change, toSettled(call, { kind: "done", content: withFeedback(call.feedback, told) }));
  change.set({ background: [...change.context.background, { callId: call.callId, command }] });
  change.append({ type: "say", say: "tool", callId: call.callId });
  endBeyondLimit(change);
  if (feedback !== undefined) hear(change, feedback);
}

/** One command too many beside the agent ends the oldest, and a row says so (L14). */
function endBeyondLimit(change: Change): void {
  const { background, limits } = change.context;
  const [oldest] = background;
  if (oldest === undefined || background.length <= limits.background) return;
  endBeside(change, [oldest]);
  const text = `More than ${limits.background} commands in the background (the limit \`background\`): "${oldest.command}" was ended.`;
  change.append({ type: "say", say: "error", text, callId: oldest.callId });
}

/** A command belongs to its task: it ends with a cancel. */
export function endBackgroundCommands(change: Change): void {
  endBeside(change, change.context.background);
}

function endBeside(change: Change, ended: readonly BackgroundCommand[]): void {
  if (ended.length === 0) return;
  const { background, pending } = change.context;
  for (const { callId } of ended) change.stop("tool", toolActorId(callId));
  const notes = ended.map(({ command }) => textBlock(backgroundEnded(command, "", undefined)));
  change.set({
    background: background.filter((one) => !ended.includes(one)),
    pending: [...pending, ...notes],
  });
}

/** The user ends the command: what it wrote so far is a row, its end is waited for. */
export function abortCommand(change: Change): void {
  const call = shownCommand(change);
  const written = change.context.log.at(-1)?.text ?? "";
  closeAnswered(change);
  change.append({ type: "say", say: "command_output", text: written, callId: call.callId });
  change.abort(toolActorId(call.callId));
}

function shownCommand({ context }: Change): CallIn<"running"> {
  const call = callIn(context, context.ask?.callId ?? "", "running");
  if (call === undefined) throw new BrokenInvariantError("an output is asked about and no command runs");
  return call;
}

/** A command in the background has ended: the next request says so. */
export function endBackground(change: Change): void {
  const { event } = change;
  assertEvent(event, ["tool.finished", "tool.failed"]);
  const { background, pending } = change.context;
  const ended = background.find(({ callId }) => callId === event.callId);
  if (ended === undefined) return;
  change.stop("tool", toolActorId(event.callId));
  const { output, exitCode } = event.command ?? { output: event.type === "tool.failed" ? event.error : "" };
  change.set({
    background: background.filter((command) => command !== ended),
    pending: [...pending, textBlock(backgroundEnded(ended.command, output, exitCode))],
  });
}
