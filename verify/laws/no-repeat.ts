import type {
  AssistantBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from "../../machines/conversation/entry.ts";
import { backgroundLost, uncertain } from "../../machines/conversation/notices.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { CallIdentity, Feedback, RecordedCall, ToolCall } from "../../machines/tool-call/call.ts";
import { appendedMessages } from "./changes.ts";
import { hasOnly } from "./feedback.ts";
import { isUnseen, seesResults } from "./hooks.ts";
import { firstViolation, isSame, type Law, type Step, type View } from "./law.ts";
import { contentOf } from "./pairing.ts";

/** A tool starts once, across cancels, resumes and crashes; a subtask resumes as the same child. */
function startsOnce({ before, emitted, after }: Step): string | undefined {
  const started: string[] = [];
  for (const event of emitted) {
    if (event.type !== "effect.started") continue;
    if (event.effect === "tool" && (before.observed.tools.has(event.id) || started.includes(event.id)))
      return `${event.id} was started a second time`;
    started.push(event.id);
  }
  if (before.observed.children === after.observed.children) return undefined;
  for (const [callId, childId] of after.observed.children) {
    const known = before.observed.children.get(callId);
    if (known !== undefined && known !== childId)
      return `${callId} was the subtask ${known} and is now ${childId}`;
  }
  return undefined;
}

function decidesOnce({ before, emitted }: Step): string | undefined {
  const decided: string[] = [];
  for (const event of emitted) {
    if (event.type !== "decision.made") continue;
    const { callId } = event.decision;
    const isKnown = before.observed.decided.has(callId) && !isJudgedAgain(before, callId);
    if (isKnown || decided.includes(callId)) return `${callId} was decided twice`;
    decided.push(callId);
  }
  return undefined;
}

/** A decision for it was not used: what is permitted changed before its start. */
const isJudgedAgain = ({ context }: View, callId: string): boolean =>
  context.turn.calls.some(
    (call) =>
      call.callId === callId &&
      (call.phase === "deciding"
        ? call.digest !== undefined
        : ["decided", "judging", "asking", "hooking"].includes(call.phase) &&
          "review" in call &&
          call.review.revision > 0),
  );

type Started = Extract<RecordedCall, { phase: "running" | "stopped" }>;
const isStarted = (call: RecordedCall): call is Started =>
  (call.phase === "running" || call.phase === "stopped") && call.ask !== "completion_result";

type Block = UserBlock | AssistantBlock;
type Content = readonly Block[];

const isText = (block: Block): block is TextBlock => block.type === "text" && block.text.trim() !== "";

/** Text of the content without blank blocks: the model's endpoint rejects them. */
const textsOf = (content: Content): string =>
  content.flatMap((block) => (isText(block) ? [block.text] : [])).join("\n");

/** Whether a tool result has all text and images of the recorded end. */
const includesEnd = (result: Content, end: Content): boolean =>
  textsOf(result).includes(textsOf(end)) &&
  end.every((block) => block.type === "text" || result.some((other) => isSame(other, block)));

const hasErrorMessage = (step: Step, text: string, callId?: string): boolean =>
  appendedMessages(step).some((one) => one.say === "error" && one.text === text && one.callId === callId);

/** Ids of the tool calls of the last, complete response. */
function openToolUses({ conversation }: Step["before"]["context"]): ReadonlySet<string> {
  const response = conversation.at(-1);
  if (response?.role !== "assistant") return new Set();
  return new Set(response.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
}

/** Check that a recorded end is the result of its call, or is withheld where hooks must see results (HOOK). */
function wrongContent(
  context: TaskContext,
  call: CallIdentity & { readonly feedback?: Feedback },
  content: Content,
  end: Content,
): string | undefined {
  if (!seesResults(context))
    return includesEnd(content, end) ? undefined : `the recorded end of ${call.callId} is not its result`;
  return isUnseen(call, content)
    ? undefined
    : `hooks have not seen the recorded end of ${call.callId}, which is its result`;
}

/** Check the result of a call that ran when the process ended. */
function wrongEnd(step: Step, known: Started, call: ToolCall | undefined): string | undefined {
  const { callId, name, end, replayable } = known;
  const text = uncertain(name, known.ask === "command");
  const outcome = call?.phase === "settled" ? call.outcome : undefined;
  if (end !== undefined && end !== "uncertain")
    return outcome?.kind === "done" || seesResults(step.after.context)
      ? wrongContent(step.after.context, known, outcome?.content ?? [], end)
      : `the recorded end of ${callId} is not its result`;
  if (replayable)
    return outcome?.kind === "interrupted" && !hasErrorMessage(step, text, callId)
      ? undefined
      : `${callId} only reads, and is ${outcome?.kind ?? call?.phase ?? "gone"}`;
  if (outcome?.kind !== "uncertain" || !hasOnly(known, outcome.content, text))
    return `no tool result reports that ${callId} is uncertain`;
  return hasErrorMessage(step, text, callId) ? undefined : `no message reports that ${callId} is uncertain`;
}

function reopenedCalls(step: Step): string | undefined {
  const { reopened, before, after } = step;
  if (reopened === undefined) return undefined;
  const open = openToolUses(before.context);
  for (const known of reopened.calls) {
    if (!open.has(known.toolUseId)) continue;
    const call = after.context.turn.calls.find(({ callId }) => callId === known.callId);
    const wrong = isStarted(known) ? wrongEnd(step, known, call) : undefined;
    if (wrong !== undefined) return wrong;
    if (known.phase === "ended" && (call?.phase !== "settled" || !isUnseen(known, call.outcome.content)))
      return `${known.callId} had ended, and its withheld result is not settled`;
    if (known.phase !== "settled") continue;
    if (call?.phase !== "settled" || !isSame(call.outcome, known.outcome))
      return `${known.callId} was settled and is not anymore`;
  }
  const foreign = after.context.turn.calls.find(({ toolUseId }) => !open.has(toolUseId));
  return foreign === undefined ? undefined : `${foreign.callId} is not a call of the last response`;
}

/** Background commands end with the process: a message and the next request report it. */
function lostCommands(step: Step): string | undefined {
  if (step.reopened === undefined) return undefined;
  const { context } = step.after;
  const { background, log } = step.before.context;
  for (const { callId, command } of background) {
    const row = [...log].find((message) => message.ask === "command" && message.callId === callId);
    const text = backgroundLost(command, row?.progressStatus?.text);
    if (!hasErrorMessage(step, text)) return `no message reports that "${command}" was lost`;
    if (!textsOf(context.pending).includes(text))
      return `no text for the next request reports that "${command}" was lost`;
  }
  return context.background.length === 0 ? undefined : "a command of the ended process is in the background";
}

/** Tool results that the macrostep adds to the conversation. */
const resultsIn = ({ emitted }: Step): readonly ToolResultBlock[] =>
  emitted.flatMap((event) => contentOf(event) ?? []).filter((block) => block.type === "tool_result");

function wrongResult(step: Step, call: ToolCall, result: ToolResultBlock): string | undefined {
  const { event, before } = step;
  if (call.phase === "settled")
    return includesEnd(result.content, call.outcome.content)
      ? undefined
      : `the result of ${call.callId} is not its outcome`;
  if (call.phase !== "stopped") return undefined;
  const ends = event.type === "context.ready" ? event.ends : (before.context.prepared?.ends ?? []);
  const end = ends.find(({ callId }) => callId === call.callId)?.content ?? "uncertain";
  if (end !== "uncertain") return wrongContent(before.context, call, result.content, end);
  const text = uncertain(call.name, call.ask === "command");
  if (!hasOnly(call, result.content, text)) return `no tool result reports that ${call.callId} is uncertain`;
  return hasErrorMessage(step, text, call.callId)
    ? undefined
    : `no message reports that ${call.callId} is uncertain`;
}

function resultsAreEnds(step: Step): string | undefined {
  for (const result of resultsIn(step)) {
    const call = step.before.context.turn.calls.find(({ toolUseId }) => toolUseId === result.tool_use_id);
    const wrong = call === undefined ? undefined : wrongResult(step, call, result);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** L12: nothing runs twice, also across crashes; a recorded end is the result, without one it is uncertain. */
export const noRepeat: Law = {
  id: "L12",
  title: "nothing is started or decided twice; what ran has its recorded end as result, or is uncertain",
  violation: firstViolation(startsOnce, decidesOnce, reopenedCalls, lostCommands, resultsAreEnds),
};
