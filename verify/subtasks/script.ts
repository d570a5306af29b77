import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { AssistantBlock } from "../../machines/conversation/entry.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { CallAsk, Effect, ToolCall } from "../../machines/tool-call/call.ts";
import type { OpenTask } from "./open-task.ts";

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0.01 };

interface ScriptedCall {
  readonly name: string;
  readonly ask: CallAsk;
  readonly effect: Effect;
  /** Whether the subtask that the call starts works in the background. */
  readonly inBackground?: true;
  /** Whether the model makes the call again until it ends the task. */
  readonly repeats?: true;
}

/** The calls that a model makes one after another, before it ends its turn. */
export type Script = readonly ScriptedCall[];

/** A parent that delegates once. */
export const PARENT_SCRIPT: Script = [{ name: "delegate", ask: "tool", effect: "delegates" }];
/** A subtask that writes once, and completes. */
export const CHILD_SCRIPT: Script = [
  { name: "write", ask: "tool", effect: "writes" },
  { name: "complete", ask: "completion_result", effect: "asks" },
];

/** The names of the calls in a conversation. */
export const callNames = (conversation: Conversation): readonly string[] =>
  conversation
    .toArray()
    .flatMap(({ content }) => content.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])));

const lastTs = ({ log }: TaskContext): number => log.at(-1)?.ts ?? 0;
export const timeAfter = ({ snapshot }: OpenTask): number => lastTs(snapshot.context) + 1;

/**
 * The events with which an effect that runs ends: all at once, since a task that is stopped in between is explored on its
 * own. None for an ask and for a subtask.
 */
export function endOfEffect(task: OpenTask, id: string, script: Script): readonly TaskEvent[] {
  const { context } = task.snapshot;
  const at = timeAfter(task);
  const [kind = "", callId = ""] = splitOnce(id);
  if (kind === "opening") return [{ type: "task.opened", at }];
  if (kind === "context") return contextEvents(context, at);
  if (kind === "llm") return responseEvents(context, at, script);
  const call = context.turn.calls.find((one) => one.callId === callId);
  if (kind === "review" && call !== undefined) return [reviewOf(call, context, at, script)];
  if (kind === "tool")
    return [{ type: "tool.finished", at, callId, content: [{ type: "text", text: "ok" }] }];
  return [];
}

function splitOnce(id: string): readonly string[] {
  const colon = id.indexOf(":");
  return colon < 0 ? [id] : [id.slice(0, colon), id.slice(colon + 1)];
}

function contextEvents({ request, turn }: TaskContext, at: number): readonly TaskEvent[] {
  if (request === undefined) return [];
  const ends = turn.calls.flatMap((call) =>
    call.phase === "stopped" ? [{ callId: call.callId, content: "uncertain" as const }] : [],
  );
  return [{ type: "context.ready", at, requestId: request, environment: "here", ends }];
}

function responseEvents(context: TaskContext, at: number, script: Script): readonly TaskEvent[] {
  const { request, conversation } = context;
  if (request === undefined) return [];
  const made = callNames(conversation);
  const next = script.find(({ name, repeats }) => repeats === true || !made.includes(name));
  const of = { at, requestId: request };
  if (next === undefined) {
    const content: AssistantBlock[] = [{ type: "text", text: "done" }];
    return [
      { ...of, type: "llm.text.delta", index: 0, text: "done" },
      { ...of, type: "llm.text.end", index: 0 },
      { ...of, type: "llm.finished", stopReason: "end_turn", content, usage: USAGE },
    ];
  }
  const { name, ask } = next;
  const callId = `${request}/${name}`;
  const content: AssistantBlock[] = [{ type: "tool_use", id: name, name, input: {} }];
  return [
    { ...of, type: "llm.tool.start", index: 0, callId, toolUseId: name, name, ask },
    { ...of, type: "llm.tool.end", callId, input: {} },
    { ...of, type: "llm.finished", stopReason: "tool_use", content, usage: USAGE },
  ];
}

function reviewOf(
  { callId, name }: ToolCall,
  { permissions, taskId }: TaskContext,
  at: number,
  script: Script,
): TaskEvent {
  const scripted = script.find((one) => one.name === name);
  const { effect = "none", inBackground } = scripted ?? {};
  return {
    type: "call.reviewed",
    at,
    callId,
    review: {
      valid: true,
      digest: callId,
      revision: permissions.revision,
      effect,
      replayable: false,
      text: `${name} of ${taskId}`,
      ...(inBackground === true && { inBackground }),
      verdict: { kind: "allow", rule: "r" },
    },
  };
}
