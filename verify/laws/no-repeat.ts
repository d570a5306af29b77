import {
  type AssistantBlock,
  backgroundLost,
  type TextBlock,
  type ToolResultBlock,
  type UserBlock,
  uncertain,
} from "../../machines/conversation/index.ts";
import type { RecordedCall, ToolCall } from "../../machines/tool-call/index.ts";
import { appendedIn } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

/** A tool runs once, whatever was cancelled, resumed or crashed in between; a subtask goes on as the same child. */
function startsOnce({ before, emitted, after }: Step): string | undefined {
  const started: string[] = [];
  for (const piece of emitted) {
    if (piece.type !== "effect.started") continue;
    if (piece.effect === "tool" && (before.observed.tools.has(piece.id) || started.includes(piece.id)))
      return `${piece.id} was started a second time`;
    started.push(piece.id);
  }
  if (before.observed.children === after.observed.children) return undefined;
  for (const [callId, childId] of after.observed.children) {
    const known = before.observed.children.get(callId);
    if (known !== undefined && known !== childId)
      return `${callId} was the work of ${known} and is now that of ${childId}`;
  }
  return undefined;
}

function decidesOnce({ before, emitted }: Step): string | undefined {
  const decided: string[] = [];
  for (const piece of emitted) {
    if (piece.type !== "decision.made") continue;
    const { callId } = piece.decision;
    if (before.observed.decided.has(callId) || decided.includes(callId))
      return `${callId} was decided once more`;
    decided.push(callId);
  }
  return undefined;
}

type Begun = Extract<RecordedCall, { phase: "running" | "stopped" }>;
const isBegun = (call: RecordedCall): call is Begun =>
  (call.phase === "running" || call.phase === "stopped") && call.ask !== "completion_result";

type Block = UserBlock | AssistantBlock;
type Content = readonly Block[];

const isSaid = (block: Block): block is TextBlock => block.type === "text" && block.text.trim() !== "";

/** Its words. Blank ones are never sent: the model's endpoint refuses them. */
const textsOf = (content: Content): string =>
  content.flatMap((block) => (isSaid(block) ? [block.text] : [])).join("\n");

/** Whether a result has all words and images of what a call ended with. */
const has = (result: Content, end: Content): boolean =>
  textsOf(result).includes(textsOf(end)) &&
  end.every((block) => block.type === "text" || result.some((other) => isSame(other, block)));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const saysRow = (step: Step, text: string, callId?: string): boolean =>
  appendedIn(step).some((row) => row.say === "error" && row.text === text && row.callId === callId);

/** The calls that the model waits for: those of an answer that came whole. */
function awaited({ conversation }: Step["before"]["context"]): ReadonlySet<string> {
  const answer = conversation.at(-1);
  if (answer?.role !== "assistant") return new Set();
  return new Set(answer.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
}

/** What became of a call that ran when the process ended. */
function wrongEnd(step: Step, known: Begun, call: ToolCall | undefined): string | undefined {
  const { callId, name, end, replayable } = known;
  const told = call?.phase === "settled" ? call.outcome : undefined;
  if (end !== undefined && end !== "uncertain")
    return told?.kind === "done" && has(told.content, end)
      ? undefined
      : `${callId} has a recorded end, and it is not its result`;
  if (replayable)
    return told?.kind === "interrupted" && !saysRow(step, uncertain(name), callId)
      ? undefined
      : `${callId} only looked, and is ${told?.kind ?? call?.phase ?? "gone"}`;
  if (told?.kind !== "uncertain" || textsOf(told.content) !== uncertain(name))
    return `the model is not told that ${callId} is uncertain`;
  return saysRow(step, uncertain(name), callId)
    ? undefined
    : `the user is not told that ${callId} is uncertain`;
}

function endsAreTold(step: Step): string | undefined {
  const { reopened, before, after } = step;
  if (reopened === undefined) return undefined;
  const due = awaited(before.context);
  for (const known of reopened.calls) {
    if (!due.has(known.toolUseId)) continue;
    const call = after.context.turn.calls.find(({ callId }) => callId === known.callId);
    const wrong = isBegun(known) ? wrongEnd(step, known, call) : undefined;
    if (wrong !== undefined) return wrong;
    if (known.phase !== "settled") continue;
    if (call?.phase !== "settled" || !isSame(call.outcome, known.outcome))
      return `${known.callId} was settled and is so no more`;
  }
  const foreign = after.context.turn.calls.find(({ toolUseId }) => !due.has(toolUseId));
  return foreign === undefined ? undefined : `${foreign.callId} is a call that the model does not wait for`;
}

/** Commands beside the agent ended with the process: the user is told, and the model with the next request. */
function lostCommandsAreTold(step: Step): string | undefined {
  if (step.reopened === undefined) return undefined;
  const { context } = step.after;
  for (const { command } of step.before.context.background) {
    const text = backgroundLost(command);
    if (!saysRow(step, text)) return `the user is not told that "${command}" was lost`;
    if (!textsOf(context.pending).includes(text)) return `the model is not told that "${command}" was lost`;
  }
  return context.background.length === 0 ? undefined : "a command of the ended process still goes on";
}

/** The results that the model is given now. */
const resultsIn = ({ emitted }: Step): readonly ToolResultBlock[] =>
  emitted.flatMap((piece) => {
    const content =
      piece.type === "entry.appended"
        ? piece.entry.content
        : piece.type === "entry.extended"
          ? piece.content
          : [];
    return content.filter((block): block is ToolResultBlock => block.type === "tool_result");
  });

function wrongResult(step: Step, call: ToolCall, result: ToolResultBlock): string | undefined {
  const { event, before } = step;
  if (call.phase === "settled")
    return has(result.content, call.outcome.content)
      ? undefined
      : `the result of ${call.callId} is not how it ended`;
  if (call.phase !== "stopped") return undefined;
  const ends = event.type === "context.ready" ? event.ends : (before.context.prepared?.ends ?? []);
  const end = ends.find(({ callId }) => callId === call.callId)?.content ?? "uncertain";
  if (end !== "uncertain")
    return has(result.content, end) ? undefined : `the recorded end of ${call.callId} is not its result`;
  if (textsOf(result.content) !== uncertain(call.name))
    return `the model is not told that ${call.callId} is uncertain`;
  return saysRow(step, uncertain(call.name), call.callId)
    ? undefined
    : `the user is not told that ${call.callId} is uncertain`;
}

function resultsAreEnds(step: Step): string | undefined {
  for (const result of resultsIn(step)) {
    const call = step.before.context.turn.calls.find(({ toolUseId }) => toolUseId === result.tool_use_id);
    const wrong = call === undefined ? undefined : wrongResult(step, call, result);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** L12: nothing runs twice, also across crashes; a recorded end is the result, and without one it is uncertain. */
export const noRepeat: Law = {
  id: "L12",
  title: "nothing is started or decided twice; what ran has its real end as result, or is told as uncertain",
  violation: firstViolation(startsOnce, decidesOnce, endsAreTold, lostCommandsAreTold, resultsAreEnds),
};
