import { digestOf } from "../../actors/review/digest.ts";
import type { ProposedCall } from "../../control/facts.ts";
import {
  applyConversationEvent,
  type ConversationEvent,
  emptyConversation,
} from "../../machines/conversation/conversation.ts";
import type { AssistantBlock, ToolUseBlock, UserBlock } from "../../machines/conversation/entry.ts";
import type { Input, RecordedCall } from "../../machines/tool-call/call.ts";
import type { ControlRecord } from "../../machines/tool-call/control.ts";
import { textOf } from "../../wire/inspect/messages.ts";
import type { RecordedTask } from "../../wire/inspect/sample-events.ts";
import type { CommitRecord, RecordedCause } from "../../wire/journal/record.ts";
import type { CallStep, RecordedStep, ResponseStep, ResultStep } from "./recorded-step.ts";

/** The points of a task and its subtasks at which a protocol decides: each response, then its calls and their results. */
export function recordedSteps(task: RecordedTask): readonly RecordedStep[] {
  const reader = new StepReader(task);
  for (const record of task.records) if (record.kind === "commit") reader.add(record);
  return reader.steps();
}

/** A call, a result, or the steps of a subtask, in the order of the journal. */
type TurnPart =
  | { readonly kind: "call"; readonly callId: string }
  | { readonly kind: "result"; readonly callId: string; readonly text: string; readonly record: number }
  | { readonly kind: "subtask"; readonly steps: readonly RecordedStep[] };

/** A response and what follows from it. */
interface Turn {
  readonly content: AssistantBlock[];
  /** The number of the record with its last block. */
  record: number;
  readonly parts: TurnPart[];
}

class StepReader {
  readonly #task: RecordedTask;
  readonly #turns = new Map<string, Turn>();
  /** The turn of the newest response or request. */
  #turn = "";
  #conversation = emptyConversation;
  /** The number of the current record. */
  #seq = 0;
  /** The record with the first decision about each call, or in which it first appears. */
  readonly #callRecords = new Map<string, number>();
  readonly #seen = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #children = new Set<string>();
  /** The name of each call that was reviewed. */
  readonly #names = new Map<string, string>();
  readonly #authors = new Map<string, "trusted">();
  readonly #digests = new Map<string, string>();
  readonly #inputs = new Map<string, Input>();
  /** The decisions of a protocol, by point and call id, or at a response by its digest. */
  readonly #controlled = new Map<string, ControlRecord>();
  /** The newest call with each id of the model. */
  readonly #callIds = new Map<string, string>();

  constructor(task: RecordedTask) {
    this.#task = task;
  }

  add(record: CommitRecord): void {
    const { cause } = record;
    this.#seq = record.seq;
    if (cause?.requestId !== undefined) this.#turn = String(cause.requestId);
    this.#review(cause);
    for (const { callId, digest, input, amendment } of record.decisions) {
      this.#digests.set(callId, digest);
      this.#decide(callId);
      if (input !== undefined || amendment !== undefined)
        this.#inputs.set(callId, { ...(input ?? this.#proposed(callId).input), ...amendment });
    }
    for (const each of record.control ?? []) {
      this.#controlled.set(`${each.point} ${each.callId ?? each.digest}`, each);
      if (each.point !== "call" || each.callId === undefined) continue;
      this.#digests.set(each.callId, each.digest);
      this.#decide(each.callId);
    }
    for (const event of record.conversation) this.#converse(event);
    for (const call of record.calls) this.#call(call);
  }

  steps(): readonly RecordedStep[] {
    return [...this.#turns].flatMap(([requestId, turn]) => {
      const { content, parts } = turn;
      for (const block of content)
        if (block.type === "tool_use") this.#start(`${requestId}/${block.id}`, parts);
      return [
        ...(content.length === 0 ? [] : [this.#response(requestId, turn)]),
        ...parts.flatMap((part) => this.#stepsOf(requestId, part)),
      ];
    });
  }

  #decide(callId: string): void {
    if (!this.#callRecords.has(callId)) this.#callRecords.set(callId, this.#seq);
  }

  #review(cause: RecordedCause | undefined): void {
    if (cause?.type !== "call.reviewed" || typeof cause.review !== "object") return;
    const { callId } = cause;
    const { digest } = cause.review;
    if (typeof callId === "string" && typeof digest === "string") this.#digests.set(callId, digest);
  }

  #converse(event: ConversationEvent): void {
    this.#conversation = applyConversationEvent(this.#conversation, event);
    if (event.type === "entries.replaced") return;
    const { content } = event.type === "entry.appended" ? event.entry : event;
    if (this.#conversation.at(-1)?.role === "assistant") {
      // An imported conversation has no requests: each of its responses is a turn.
      const isNew = event.type === "entry.appended" && this.#turnOf(this.#turn).content.length > 0;
      if (isNew) this.#turn = `entry ${this.#conversation.length - 1}`;
      for (const block of content) this.#respond(block);
    } else for (const block of content) this.#receive(block);
  }

  #respond(block: AssistantBlock | UserBlock): void {
    if (block.type === "image" || block.type === "tool_result") return;
    const turn = this.#turnOf(this.#turn);
    turn.content.push(block);
    turn.record = this.#seq;
    if (block.type === "tool_use") this.#callIds.set(block.id, `${this.#turn}/${block.id}`);
  }

  /** Reads a result that the model got of a call that no record has: of an imported conversation. */
  #receive(block: AssistantBlock | UserBlock): void {
    if (block.type !== "tool_result") return;
    const callId = this.#callIds.get(block.tool_use_id);
    if (callId === undefined || this.#seen.has(callId)) return;
    const { parts } = this.#turnOf(turnIdOf(callId));
    this.#start(callId, parts);
    parts.push({ kind: "result", callId, text: textOf(block.content), record: this.#seq });
  }

  #call(call: RecordedCall): void {
    const { callId, name, author } = call;
    this.#names.set(callId, name);
    if (author === "trusted") this.#authors.set(callId, author);
    const { parts } = this.#turnOf(turnIdOf(callId));
    this.#start(callId, parts);
    if (call.phase === "delegated") this.#delegate(call, parts);
    if (call.phase !== "settled" || this.#ended.has(callId)) return;
    this.#ended.add(callId);
    const { kind, content } = call.outcome;
    const hasRun = call.ask !== "followup" && call.ask !== "completion_result";
    if (hasRun && (kind === "done" || kind === "failed"))
      parts.push({ kind: "result", callId, text: textOf(content), record: this.#seq });
  }

  #delegate(
    { callId, childId, input }: Extract<RecordedCall, { phase: "delegated" }>,
    parts: TurnPart[],
  ): void {
    this.#inputs.set(callId, input);
    const child = this.#children.has(childId) ? undefined : this.#task.subtask(childId);
    this.#children.add(childId);
    if (child !== undefined) parts.push({ kind: "subtask", steps: recordedSteps(child) });
  }

  /** Adds a call if it is new. */
  #start(callId: string, parts: TurnPart[]): void {
    if (this.#seen.has(callId)) return;
    this.#seen.add(callId);
    parts.push({ kind: "call", callId });
  }

  #turnOf(id: string): Turn {
    const known = this.#turns.get(id) ?? { content: [], record: this.#seq, parts: [] };
    this.#turns.set(id, known);
    return known;
  }

  #stepsOf(requestId: string, part: TurnPart): readonly RecordedStep[] {
    if (part.kind === "subtask") return part.steps;
    return [part.kind === "call" ? this.#callStep(requestId, part.callId) : this.#result(requestId, part)];
  }

  #response(requestId: string, { content, record }: Turn): ResponseStep {
    const calls = content.flatMap((block): ProposedCall[] =>
      block.type === "tool_use" ? [{ tool: block.name, input: block.input }] : [],
    );
    const digest = digestOf("response", { content });
    const step = { requestId, digest, record, ...this.#judged("response", digest) };
    return { ...step, taskId: this.#taskId, point: "response", text: textOf(content), calls };
  }

  #callStep(requestId: string, callId: string): CallStep {
    const call = this.#final(callId);
    const digest = this.#digests.get(callId) ?? digestOf(call.tool, call.input);
    const record = this.#callRecords.get(callId) ?? this.#turnOf(turnIdOf(callId)).record;
    const step = { requestId, callId, digest, record, ...this.#judged("call", callId), ...call };
    return { ...step, taskId: this.#taskId, point: "call" };
  }

  #result(requestId: string, { callId, text, record }: Extract<TurnPart, { kind: "result" }>): ResultStep {
    const digest = digestOf("result", { callId, result: text });
    const judged = this.#judged("result", callId);
    const step = { requestId, callId, digest, record, ...judged, ...this.#final(callId) };
    return { ...step, taskId: this.#taskId, point: "result", result: text };
  }

  /** The author, the scores and the verdict at a point. */
  #judged(point: ControlRecord["point"], id: string): Pick<RecordedStep, "author" | "recorded" | "verdict"> {
    const { author, scores = {}, verdict } = this.#controlled.get(`${point} ${id}`) ?? {};
    return {
      author: this.#authors.get(id) ?? author ?? "untrusted",
      recorded: scores,
      ...(verdict !== undefined && { verdict }),
    };
  }

  get #taskId(): string {
    return this.#task.header.taskId;
  }

  /** A call with the arguments with which it ran, else those that the model sent. */
  #final(callId: string): ProposedCall {
    const { name, input } = this.#proposed(callId);
    return { tool: this.#names.get(callId) ?? name, input: this.#inputs.get(callId) ?? input };
  }

  /** A call as the model sent it. A call whose response was cut has no arguments. */
  #proposed(callId: string): Pick<ToolUseBlock, "name" | "input"> {
    const { content } = this.#turnOf(turnIdOf(callId));
    const toolUseId = callId.slice(turnIdOf(callId).length + 1);
    const block = content.find(
      (each): each is ToolUseBlock => each.type === "tool_use" && each.id === toolUseId,
    );
    return block ?? { name: "unknown", input: {} };
  }
}

/** The request of a call. */
const turnIdOf = (callId: string): string => callId.slice(0, Math.max(0, callId.indexOf("/")));
