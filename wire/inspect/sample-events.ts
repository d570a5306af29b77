import type {
  AssistantBlock,
  AssistantEntry,
  Entry,
  ToolUseBlock,
} from "../../machines/conversation/entry.ts";
import type { Denial } from "../../machines/message/message.ts";
import { emptyRecordedState } from "../../machines/task/commit.ts";
import type { RecordedState } from "../../machines/task/task.context.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { Decision, Input, Outcome, RecordedCall } from "../../machines/tool-call/call.ts";
import type { ControlRecord } from "../../machines/tool-call/control.ts";
import { applyRecord } from "../journal/apply-record.ts";
import type { CommitRecord, HeaderRecord, JournalRecord, RecordedCause } from "../journal/record.ts";
import type { EvalEvent, ModelOutput, ModelUsage, ToolCall } from "./eval-log.ts";
import {
  type Attach,
  assistantMessage,
  chatMessages,
  modelName,
  resultContent,
  textOf,
  toolCall,
} from "./messages.ts";
import { proposedCalls } from "./proposed-calls.ts";

/** The records of a task, and its subtasks by their ids. */
export interface RecordedTask {
  readonly header: HeaderRecord;
  readonly records: readonly JournalRecord[];
  /** Absent: the journal of the subtask is not there. */
  readonly subtask: (taskId: string) => RecordedTask | undefined;
}

/** A request that is open. */
interface Request {
  readonly effect: "llm" | "condense";
  readonly at: number;
  readonly model: string;
  readonly input: readonly Entry[];
}

interface Start {
  /** The name of the tool. */
  readonly name: string;
  readonly at: number;
  readonly input: Input;
  /** When it ended, if hooks see its result before the model does. */
  readonly endedAt?: number;
}

/** The events of a sample while they are collected: of a task and its subtasks. */
export interface Sample {
  readonly startedAt: number;
  readonly attach: Attach;
  readonly events: EvalEvent[];
  readonly usage: Map<string, ModelUsage>;
}

/** Fold the records of a task into the events of a sample. Returns the state of the task after them. */
export function addTask(task: RecordedTask, sample: Sample): RecordedState {
  const fold = new TaskEvents(task, sample);
  for (const record of task.records) fold.add(record);
  return fold.end();
}

class TaskEvents {
  readonly #task: RecordedTask;
  readonly #sample: Sample;
  readonly #span: string;
  #state: RecordedState = emptyRecordedState;
  #request: Request | undefined;
  #at: number;
  /** When each call that runs started, and with which arguments. */
  readonly #starts = new Map<string, Start>();
  readonly #proposed: ReadonlyMap<string, ToolUseBlock>;
  readonly #decided = new Map<string, Decision>();
  readonly #ended = new Set<string>();

  constructor(task: RecordedTask, sample: Sample) {
    const { taskId, createdAt, title, parent } = task.header;
    this.#task = task;
    this.#sample = sample;
    this.#proposed = proposedCalls(task.records);
    this.#span = taskId;
    this.#at = createdAt;
    this.#emit("span_begin", {
      id: taskId,
      name: title ?? taskId,
      type: "agent",
      parent_id: parent?.taskId ?? null,
    });
  }

  add(record: JournalRecord): void {
    if (record.kind === "header" || record.kind === "version") return;
    const previously = this.#at;
    this.#at = record.at;
    const before = this.#state;
    this.#state = applyRecord(before, record);
    if (record.kind === "commit") this.#commit(record, before, previously);
  }

  end(): RecordedState {
    this.#interrupt(this.#at);
    for (const [callId, { name }] of this.#starts)
      if (!this.#ended.has(callId)) this.#endCall(callId, name, this.#outcomeOf(callId));
    this.#emit("span_end", { id: this.#task.header.taskId });
    return this.#state;
  }

  /** @param previously when the record before was written */
  #commit(record: CommitRecord, before: RecordedState, previously: number): void {
    for (const effect of record.effects) {
      if (effect.effect !== "llm" && effect.effect !== "condense") continue;
      if (effect.type === "effect.stopped") this.#endRequest(record, before);
      else this.#startRequest(effect.effect, previously);
    }
    for (const judged of record.control ?? []) this.#score(judged);
    for (const decision of record.decisions) this.#decide(decision);
    for (const call of record.calls) this.#call(call, record);
    if (record.conversation.some(({ type }) => type === "entries.replaced"))
      this.#emit("compaction", { type: record.cause?.type === "condense.finished" ? "summary" : "trim" });
    if (record.before !== record.after) {
      const change = { op: "replace", path: "/state", value: record.after, replaced: record.before };
      this.#emit("state", { changes: [change] });
    }
  }

  #startRequest(effect: Request["effect"], previously: number): void {
    this.#interrupt(previously);
    this.#request = {
      effect,
      at: this.#at,
      model: modelName(this.#state.facts.model),
      input: this.#state.conversation.toArray(),
    };
  }

  #endRequest(record: CommitRecord, before: RecordedState): void {
    const request = this.#request;
    if (request === undefined) return;
    const { cause } = record;
    const content = responseIn(record, before);
    if (cause?.type === "task.cancel" || cause?.type === "journal.failed") {
      this.#endWith(request, { content, error: "cancelled" });
      this.#emit("interrupt", {
        interrupted: "generate",
        source: cause.type === "task.cancel" ? "user_cancel" : "system",
      });
      return;
    }
    const isFailure = cause?.type === "llm.failed" || cause?.type === "condense.failed";
    this.#endWith(request, { content, cause, ...(isFailure && { error: failureOf(cause) }) });
  }

  /** A request that nothing ended: the process did, after its last record. */
  #interrupt(at: number): void {
    const request = this.#request;
    if (request === undefined) return;
    this.#endWith(request, { content: [], error: PROCESS_ENDED, at });
    this.#emit("interrupt", { interrupted: "generate", source: "system" }, at);
  }

  #endWith(request: Request, end: RequestEnd): void {
    this.#request = undefined;
    const { at = this.#at } = end;
    const usage = usageOf(end.cause);
    if (usage !== undefined) this.#addUsage(request.model, usage);
    this.#emit(
      "model",
      {
        model: request.model,
        input: chatMessages(request.input, this.#sample.attach),
        tools: [],
        tool_choice: "auto",
        config: {},
        output: outputOf(request.model, end, usage, this.#sample.attach),
        ...(end.error !== undefined && { error: end.error }),
        completed: isoTime(at),
        working_time: (at - request.at) / 1000,
        ...(request.effect === "condense" && { role: "condense" }),
      },
      request.at,
    );
  }

  #addUsage(model: string, usage: ModelUsage): void {
    const { usage: total } = this.#sample;
    const before = total.get(model);
    total.set(model, before === undefined ? usage : sumOf(before, usage));
  }

  /** The score of each monitor of a protocol, with what it led to. */
  #score({ scores, rationales = {}, dollars: _, ...judged }: ControlRecord): void {
    for (const [monitor, value] of Object.entries(scores)) {
      const explanation = rationales[monitor];
      this.#emit("score", {
        score: {
          value,
          history: [],
          ...(explanation !== undefined && { explanation: this.#sample.attach(explanation) }),
        },
        scorer: monitor,
        intermediate: true,
        metadata: judged,
      });
    }
  }

  #decide(decision: Decision): void {
    const { callId, by, digest, input, amendment } = decision;
    this.#decided.set(callId, decision);
    const isChanged = amendment !== undefined || input !== undefined;
    this.#emit("approval", {
      message: "",
      call: this.#toolCall(callId),
      approver: "rule" in by ? by.rule : by.program === true ? "program" : "person",
      decision: isChanged ? "modify" : "approve",
      ...(isChanged && { modified: this.#toolCall(callId, this.#final(callId)) }),
      metadata: { digest },
    });
  }

  #call(call: RecordedCall, record: CommitRecord): void {
    if (this.#ended.has(call.callId)) return;
    if (call.phase === "settled") {
      this.#ended.add(call.callId);
      if (call.outcome.kind === "denied") this.#reject(call, record);
      this.#endCall(call.callId, call.name, call.outcome);
    } else if (call.phase !== "asking") this.#run(call);
  }

  #run(call: Exclude<RecordedCall, { phase: "asking" | "settled" }>): void {
    const { callId, name } = call;
    const known = this.#starts.get(callId);
    const start = known ?? { name, at: this.#at, input: this.#final(callId) };
    this.#starts.set(callId, { ...start, ...(call.phase === "ended" && { endedAt: this.#at }) });
    const child =
      known === undefined && call.phase === "delegated" ? this.#task.subtask(call.childId) : undefined;
    if (child !== undefined) addTask(child, this.#sample);
  }

  /** The outcome of a call that runs at the end of the journal. */
  #outcomeOf(callId: string): Outcome {
    const call = this.#state.calls.find((one) => one.callId === callId);
    if (call !== undefined && "outcome" in call) return call.outcome;
    const end = call !== undefined && "end" in call ? call.end : undefined;
    return end === undefined || end === "uncertain" ? UNRECORDED_END : { kind: "done", content: end };
  }

  #reject({ callId }: RecordedCall, { log }: CommitRecord): void {
    const messages = log.flatMap((event) => (event.type === "message.appended" ? [event.message] : []));
    const denial = messages.find(
      (message) => message.callId === callId && message.denial !== undefined,
    )?.denial;
    this.#emit("approval", {
      message: "",
      call: this.#toolCall(callId),
      approver: denial === undefined ? "person" : nameOf(denial),
      decision: "reject",
    });
  }

  #endCall(callId: string, name: string, outcome: Outcome): void {
    const { attach } = this.#sample;
    const start = this.#starts.get(callId);
    const endedAt = start?.endedAt ?? this.#at;
    const error = ERRORS[outcome.kind];
    const { id, arguments: input } = this.#toolCall(callId, start?.input);
    this.#emit(
      "tool",
      {
        type: "function",
        id,
        function: name,
        arguments: input,
        result: resultContent(outcome.content, attach),
        ...(error !== undefined && { error: { type: error, message: attach(textOf(outcome.content)) } }),
        failed: error !== undefined,
        events: [],
        completed: isoTime(endedAt),
        working_time: start === undefined ? 0 : (endedAt - start.at) / 1000,
        metadata: { outcome: outcome.kind },
      },
      start?.at,
    );
  }

  /** A call, by default with the arguments that the model sent. A call whose response was cut has none. */
  #toolCall(callId: string, input?: Input): ToolCall {
    const proposed = this.#proposed.get(callId) ?? {
      id: callId.slice(callId.indexOf("/") + 1),
      name: "unknown",
      input: {},
    };
    return toolCall({ ...proposed, input: input ?? proposed.input }, this.#sample.attach);
  }

  /** The arguments with which a call runs. */
  #final(callId: string): Input {
    const { input, amendment } = this.#decided.get(callId) ?? {};
    return { ...(input ?? this.#proposed.get(callId)?.input), ...amendment };
  }

  #emit(event: string, fields: Readonly<Record<string, unknown>>, at = this.#at): void {
    const { startedAt, events } = this.#sample;
    events.push({
      event,
      timestamp: isoTime(at),
      working_start: Math.max(0, at - startedAt) / 1000,
      pending: false,
      span_id: this.#span,
      ...fields,
    });
  }
}

interface RequestEnd {
  readonly content: readonly AssistantBlock[];
  readonly cause?: RecordedCause | undefined;
  readonly error?: string;
  /** When it ended. Default: at the current record. */
  readonly at?: number;
}

const PROCESS_ENDED = "The process of the task ended.";

/** The outcome of a call that was started, in a journal that ends before it. */
const UNRECORDED_END: Outcome = {
  kind: "uncertain",
  content: [{ type: "text", text: "The journal has no end of this call." }],
};

/** The type of the error in Inspect of each outcome that is one. */
const ERRORS: Readonly<Record<Outcome["kind"], string | undefined>> = {
  done: undefined,
  failed: "unknown",
  invalid: "parsing",
  denied: "approval",
  skipped: "cancelled",
  interrupted: "cancelled",
  uncertain: "cancelled",
};

const STOP_REASONS: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "max_tokens",
  model_context_window_exceeded: "model_length",
  refusal: "content_filter",
};

/** The hook, rule or policy that denied a call. */
function nameOf(denial: Denial): string {
  if ("hook" in denial) return denial.hook;
  return "rule" in denial ? denial.rule : denial.policy;
}

export const isoTime = (at: number): string => new Date(at).toISOString();

/** The blocks of the response that a commit records: a summary, a new entry, or the continuation of one. */
function responseIn(record: CommitRecord, before: RecordedState): readonly AssistantBlock[] {
  const { cause, conversation } = record;
  if (cause?.type === "condense.finished") return [{ type: "text", text: summaryIn(record) }];
  return conversation.flatMap((event): AssistantEntry["content"] => {
    if (event.type === "entry.appended") return event.entry.role === "assistant" ? event.entry.content : [];
    const isMore = event.type === "entry.extended" && before.conversation.at(-1)?.role === "assistant";
    return isMore ? (event.content as readonly AssistantBlock[]) : [];
  });
}

/** The summary in the message about it: the cause of a commit has no long texts. */
function summaryIn({ log }: CommitRecord): string {
  const changes = log.map((event) =>
    event.type === "message.appended" ? event.message : event.type === "message.amended" ? event.patch : {},
  );
  const summary = changes.findLast(({ contextCondense }) => contextCondense !== undefined)?.contextCondense
    ?.summary;
  return typeof summary === "string" ? summary : "";
}

function usageOf(cause: RecordedCause | undefined): ModelUsage | undefined {
  const { tokensIn, tokensOut, cacheWrites, cacheReads, cost } = (cause?.usage ?? {}) as Partial<Usage>;
  if (tokensIn === undefined || tokensOut === undefined) return undefined;
  return {
    input_tokens: tokensIn,
    output_tokens: tokensOut,
    total_tokens: tokensIn + tokensOut + (cacheWrites ?? 0) + (cacheReads ?? 0),
    input_tokens_cache_write: cacheWrites ?? 0,
    input_tokens_cache_read: cacheReads ?? 0,
    total_cost: cost ?? null,
  };
}

function sumOf(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
    input_tokens_cache_write: one.input_tokens_cache_write + other.input_tokens_cache_write,
    input_tokens_cache_read: one.input_tokens_cache_read + other.input_tokens_cache_read,
    total_cost:
      one.total_cost === null || other.total_cost === null ? null : one.total_cost + other.total_cost,
  };
}

function failureOf(cause: RecordedCause | undefined): string {
  const failure = cause?.failure;
  return typeof failure === "object" && "code" in failure ? String(failure.code) : "failed";
}

function outputOf(
  model: string,
  { content, cause, error }: RequestEnd,
  usage: ModelUsage | undefined,
  attach: Attach,
): ModelOutput {
  const stopReason = STOP_REASONS[String(cause?.stopReason)] ?? "unknown";
  const message = assistantMessage({ role: "assistant", content }, attach);
  return {
    model,
    choices: content.length === 0 ? [] : [{ message: { ...message, model }, stop_reason: stopReason }],
    completion: attach(textOf(content)),
    ...(usage !== undefined && { usage }),
    ...(error !== undefined && { error }),
  };
}
