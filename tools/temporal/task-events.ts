import type { ConversationEvent } from "../../machines/conversation/conversation.ts";
import type { AssistantBlock, ToolUseBlock, UserBlock } from "../../machines/conversation/entry.ts";
import type { LogEvent } from "../../machines/message/log.ts";
import type { CommitParts } from "../../machines/task/commit.ts";
import type { Decision, Effect, Input, RecordedCall } from "../../machines/tool-call/call.ts";
import type { ControlRecord } from "../../machines/tool-call/control.ts";
import { type CallFacts, callFacts } from "./call-facts.ts";
import type { Approver, PolicyEvent, ProtocolDecision } from "./event.ts";

/** One commit of a task, as its journal records it. */
export interface RecordedStep
  extends Pick<
    CommitParts,
    "log" | "conversation" | "decisions" | "control" | "calls" | "facts" | "turnEnded"
  > {
  readonly seq?: number;
  readonly cause?: { readonly type: string } | undefined;
}

export interface TaskEventsOptions {
  /** Absolute paths below it are relative to it. */
  readonly workspace?: string;
  /** The effect of a tool. Default: of the tools of this package and of known agents. */
  readonly effectOf?: (tool: string) => Effect | undefined;
}

/** Reads the events of a task from its commits, in order. It holds the calls of one turn. */
export class TaskEvents {
  readonly #options: TaskEventsOptions;
  readonly #uses = new Map<string, ToolUseBlock>();
  readonly #decisions = new Map<string, Decision>();
  readonly #started = new Map<string, CallFacts>();
  /** The newest decision of the protocol about each call. */
  readonly #judged = new Map<string, ProtocolDecision>();

  constructor(options: TaskEventsOptions = {}) {
    this.#options = options;
  }

  /** A reader that has read the same commits, for commits that may not happen. */
  copy(): TaskEvents {
    const copied = new TaskEvents(this.#options);
    for (const [id, use] of this.#uses) copied.#uses.set(id, use);
    for (const [id, decision] of this.#decisions) copied.#decisions.set(id, decision);
    for (const [id, facts] of this.#started) copied.#started.set(id, facts);
    for (const [id, judged] of this.#judged) copied.#judged.set(id, judged);
    return copied;
  }

  /** A text that two readers share only if they read all later commits alike. `numberOf`: the number in place of an id. */
  key(numberOf: (id: string) => number): string {
    const entriesOf = <T>(known: ReadonlyMap<string, T>, partOf: (value: T) => unknown) =>
      [...known]
        .map(([id, value]) => [numberOf(id), partOf(value)] as const)
        .sort(([one], [other]) => one - other);
    return JSON.stringify([
      entriesOf(this.#uses, ({ input }) => input),
      entriesOf(this.#decisions, ({ by, input, amendment }) => ["person" in by, input, amendment]),
      entriesOf(this.#started, (facts) => facts),
      entriesOf(this.#judged, (judged) => judged),
    ]);
  }

  /** The events of the next commit. */
  eventsIn(step: RecordedStep): readonly PolicyEvent[] {
    const { conversation, decisions, control = [], calls, facts, cause, seq } = step;
    for (const event of conversation) if (event.type !== "entries.replaced") this.#noteUses(contentOf(event));
    for (const decision of decisions) this.#decisions.set(decision.callId, decision);
    const events: readonly PolicyEvent[] = [
      ...(cause?.type === "task.start" ? [{ kind: "prompt" } as const] : []),
      ...control.map((record) => this.#judgedEvent(record)),
      ...step.log.flatMap((event) => messageEvent(event) ?? []),
      ...(facts?.mode === undefined ? [] : [{ kind: "mode", mode: facts.mode } as const]),
      ...[...calls].sort(bySkipped).flatMap((call) => this.#eventOf(call) ?? []),
    ];
    const ofTurn = [this.#uses, this.#decisions, this.#started, this.#judged];
    if (step.turnEnded) for (const known of ofTurn) known.clear();
    return seq === undefined ? events : events.map((event) => ({ ...event, seq }));
  }

  /** The newest decision of the protocol about a call of the turn. Empty: there is none. */
  decisionAbout(callId: string): ProtocolDecision {
    return this.#judged.get(callId) ?? {};
  }

  #judgedEvent({ point, callId, verdict, author, scores }: ControlRecord): PolicyEvent {
    const decision: ProtocolDecision = { verdict, author, scores };
    if (callId === undefined) return { kind: `${point}.judged`, ...decision };
    const facts = this.#started.get(callId) ?? this.#sentFacts(callId);
    if (point === "call") this.#judged.set(callId, decision);
    return { kind: `${point}.judged`, ...facts, ...decision };
  }

  /** The facts of a call as the model sent it. None, if the protocol decided that another call takes its place. */
  #sentFacts(callId: string): CallFacts {
    const use = this.#uses.get(callId.slice(callId.indexOf("/") + 1));
    const { verdict } = this.decisionAbout(callId);
    if (use === undefined || verdict === "modify" || verdict === "replace") return {};
    return this.#derive(use.name, use.input);
  }

  #noteUses(blocks: readonly (UserBlock | AssistantBlock)[]): void {
    for (const block of blocks) if (block.type === "tool_use") this.#uses.set(block.id, block);
  }

  #eventOf(call: RecordedCall): PolicyEvent | undefined {
    const { callId, phase } = call;
    if (phase === "asking" || phase === "stopped" || phase === "ended") return undefined;
    const decision = this.#decisions.get(callId);
    const by = decision === undefined ? {} : { by: approverOf(decision) };
    const judged = this.decisionAbout(callId);
    const known = this.#started.get(callId);
    const facts = known ?? this.#factsOf(call);
    if (phase === "settled")
      return { kind: "call.ended", ...facts, ...by, ...judged, outcome: call.outcome.kind };
    this.#started.set(callId, facts);
    return known === undefined ? { kind: "call.started", ...facts, ...by, ...judged } : undefined;
  }

  /** The facts that were judged when the call started. In other tasks, the facts of its final arguments. */
  #factsOf(call: RecordedCall): CallFacts {
    const { callId, toolUseId, name } = call;
    const { input = this.#uses.get(toolUseId)?.input, amendment } = this.#decisions.get(callId) ?? {};
    const derived = this.#derive(name, { ...input, ...amendment });
    if (!("facts" in call) || call.facts === undefined) return derived;
    // Only the arguments that were judged are recorded.
    const { arguments: judged = {}, notCompared: unread = [], ...recorded } = call.facts;
    const compared = { ...derived.arguments, ...judged };
    const others = (derived.notCompared ?? []).filter((each) => !Object.hasOwn(judged, each));
    const notCompared = [...others, ...unread];
    return {
      tool: name,
      ...recorded,
      ...(Object.keys(compared).length > 0 && { arguments: compared }),
      ...(notCompared.length > 0 && { notCompared }),
    };
  }

  #derive(name: string, input: Input): CallFacts {
    const effect = this.#options.effectOf?.(name);
    const { workspace } = this.#options;
    return callFacts(name, input, {
      ...(effect !== undefined && { effect }),
      ...(workspace !== undefined && { workspace }),
    });
  }
}

const isSkipped = (call: RecordedCall): boolean =>
  call.phase === "settled" && call.outcome.kind === "skipped";

/** The calls that the start of a subtask skips end after it. */
const bySkipped = (one: RecordedCall, other: RecordedCall): number =>
  Number(isSkipped(one)) - Number(isSkipped(other));

const contentOf = (event: Exclude<ConversationEvent, { type: "entries.replaced" }>) =>
  event.type === "entry.appended" ? event.entry.content : event.content;

function messageEvent(event: LogEvent): PolicyEvent | undefined {
  if (event.type !== "message.appended") return undefined;
  if (event.message.say === "user_feedback") return { kind: "prompt" };
  return event.message.say === "api_req_started" ? { kind: "request" } : undefined;
}

const approverOf = ({ by }: Decision): Approver => ("person" in by ? "person" : "policy");
