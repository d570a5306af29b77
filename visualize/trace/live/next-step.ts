import { topState } from "../../../machines/message/states.ts";
import { nextStep, type Step } from "../../../machines/task/schedule.ts";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { Phase, ToolCall } from "../../../machines/tool-call/call.ts";

/** The position of a call among the calls of its response, from 1, and its tool: `call 2 (execute_command)`. */
type CallName = (call: ToolCall) => string;

const REST_OF_RESPONSE = "Waits for the rest of the response.";

/** Format the next step of the turn as a sentence. Undefined at rest, and while the task has no response. */
export function formatNextStep(context: TaskContext, path: string): string | undefined {
  const state = topState(path);
  const { blocks, cursor, calls } = context.turn;
  if (blocks.length === 0) return undefined;
  if (state === "streaming" && cursor === blocks.length) return REST_OF_RESPONSE;
  if (state !== "running" && state !== "streaming" && state !== "waiting_for_input") return undefined;
  return formatStep(nextStep(context), ({ callId, name }) => {
    const position = calls.findIndex((call) => call.callId === callId) + 1;
    return `call ${position} (${name})`;
  });
}

function formatStep(step: Step, nameOf: CallName): string {
  switch (step.kind) {
    case "show":
      return "Shows the next block of the response.";
    case "pass":
      return step.call.phase === "running"
        ? `Continues beside ${nameOf(step.call)}, which runs.`
        : `Decides about the next call: ${nameOf(step.call)} starts with the other subtasks.`;
    case "skip":
      return `Skips ${nameOf(step.call)}: it stands after a subtask.`;
    case "preview":
      return `Shows ${nameOf(step.call)} before it is decided.`;
    case "review":
      return `Reviews ${nameOf(step.call)} again: the permissions have changed.`;
    case "deny":
      return `Denies ${nameOf(step.call)}.`;
    case "read":
      return `Starts ${nameOf(step.call)}, which only reads.`;
    case "refuse":
      return `Refuses ${nameOf(step.call)}: too little of the budget is left.`;
    case "judge":
      return `Policies over time decide about ${nameOf(step.call)}.`;
    case "approve":
      return `Approves ${nameOf(step.call)}: a rule permits it.`;
    case "save":
      return `Saves a checkpoint before ${nameOf(step.call)}.`;
    case "start":
      return `Starts ${nameOf(step.call)}.`;
    case "hook":
      return `Hooks decide about ${nameOf(step.call)}.`;
    case "settle":
      return `Settles ${nameOf(step.call)}: ${SETTLED_BECAUSE[step.by]}.`;
    case "offer":
    case "deliver":
      return formatOffer(step, nameOf);
    case "question":
      return `Asks the question of ${nameOf(step.call)}.`;
    case "approval":
      return `Asks a person about ${nameOf(step.call)}.`;
    case "command":
      return formatWait(step.call, nameOf);
    case "subtask":
      return "Waits for subtasks.";
    case "rest":
      return "Rests: no subtask works.";
    case "checkpoint":
      return `Waits for the checkpoint before ${nameOf(step.call)}.`;
    case "wait":
      return step.call === undefined ? REST_OF_RESPONSE : formatWait(step.call, nameOf);
    case "done":
      return "Prepares the next request: no call waits.";
  }
}

const SETTLED_BECAUSE: Readonly<Record<Extract<Step, { kind: "settle" }>["by"], string>> = {
  mode: "it switches the mode",
  intent: "it selects an intent",
  "wake-up": "it changes the wake-ups",
  order: "it orders about subtasks in the background",
  subtasks: "subtasks in the background have ended",
  failure: "another call failed",
  queue: "a queued message continues the task",
};

function formatOffer({ kind, call }: Extract<Step, { kind: "offer" | "deliver" }>, nameOf: CallName): string {
  const result = call === undefined ? "the result" : `the result of ${nameOf(call)}`;
  return kind === "offer"
    ? `Asks whether ${result} is accepted.`
    : `Offers ${result}; a queued message continues the task.`;
}

const formatWait = (call: ToolCall, nameOf: CallName): string =>
  `Waits for ${nameOf(call)}, ${IN_PHASE[call.phase]}.`;

const IN_PHASE: Readonly<Record<Phase, string>> = {
  planned: "whose arguments stream",
  deciding: "which is reviewed",
  decided: "which was reviewed",
  hooking: "which hooks check",
  judging: "which policies over time check",
  asking: "which needs an answer",
  amending: "whose changed arguments are reviewed",
  approved: "which is approved",
  running: "which runs",
  stopped: "which was stopped",
  delegated: "whose subtask works",
  ended: "whose result hooks check",
  settled: "which has its result",
};
