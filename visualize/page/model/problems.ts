import { parseJson } from "../../../machines/message/json.ts";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage, Denial } from "../../../machines/message/message.ts";
import { isRequestMessage, requestInfo } from "../../../machines/message/request.ts";
import { hasNoWork, topState } from "../../../machines/message/states.ts";
import type { Outcome, RecordedCall } from "../../../machines/tool-call/call.ts";
import type { CommitRecord, RecordedCause } from "../../../wire/journal/record.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { BrokenLaw } from "./laws.ts";

/** The source of a denial. `protocol`: the control protocol withheld a response. `answer`: the ask was answered, but not by yes. `deadline`: a policy closed the ask. */
export type DeniedBy =
  | { readonly by: "record"; readonly denial: Denial }
  | { readonly by: "answer" | "protocol" }
  | { readonly by: "deadline"; readonly rule: string }
  | { readonly by: "unknown" };

/** A fault or a refusal in the course of a task. */
export type Trouble =
  /** A request, and its failed attempts without a response between them. */
  | { readonly kind: "request"; readonly attempts: readonly Attempt[] }
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "denial"; readonly source: DeniedBy }
  | { readonly kind: "invalid" | "failure"; readonly message: string }
  /** `child`: the id of the subtask's task. */
  | { readonly kind: "subtask"; readonly message: string; readonly child: string | undefined }
  /** A limit, many mistakes, or a protocol that ended the task: the ask about it. */
  | { readonly kind: "limit"; readonly ask: ClineMessage }
  /** The process ended while the task was in the state `state`. */
  | { readonly kind: "crash"; readonly state: string }
  /** The law that the event broke. */
  | ({ readonly kind: "law" } & Omit<BrokenLaw, "seq">);

/** One failed attempt of a request. */
export interface Attempt {
  readonly seq: number;
  readonly message: string;
}

/** A problem of a task. */
export interface Problem {
  /** The event that it happened in; of a request, the event of its first failed attempt. */
  readonly seq: number;
  readonly trouble: Trouble;
  /** The tool call that it belongs to. */
  readonly callId?: string;
}

/** A tool call, as far as it is known. A call that was denied before anybody was asked has no message. */
export interface KnownCall {
  /** The event that it began in. */
  readonly seq: number;
  /** The kind and the text of its message. */
  readonly ask?: string | undefined;
  readonly text?: string;
  /** The argument that names it best: a path, a command, or the first short text. */
  readonly target?: string;
}

/** The problems of a trace of fixed length. */
export interface Problems {
  /** In the order of the trace, each once. */
  readonly list: readonly Problem[];
  /** The tool calls, by their ids. */
  readonly calls: ReadonlyMap<string, KnownCall>;
  /** The events that opened requests, in order. */
  readonly requests: readonly number[];
  /** The parent's task, if this is a subtask. */
  readonly parent: string | undefined;
  /** The nearest problem in this direction from an event. */
  next(at: number, step: 1 | -1): Problem | undefined;
}

/** Finds the problems of a trace. It grows with the trace: each event is read once. */
export class ProblemIndex {
  readonly #list: Problem[] = [];
  readonly #calls = new Map<string, KnownCall>();
  readonly #requests: number[] = [];
  #parent: string | undefined;
  /** The calls that asks are about, by the ask's `ts`. */
  readonly #asked = new Map<number, string>();
  /** The position of each call's problem. */
  readonly #ofCall = new Map<string, number>();
  readonly #children = new Map<string, string>();
  /** The position of the request's problem while it has no response. */
  #failing: number | undefined;
  /** The state after the last commit. */
  #state = "no_task";

  /** Read the next event. */
  read({ seq, record }: TraceEvent): void {
    if (record.kind === "header") this.#parent = record.parent?.taskId;
    if (record.kind !== "commit") return;
    for (const change of record.log) this.#noteMessages(change, seq);
    this.#noteCause(record, seq);
    for (const call of record.calls) this.#noteCall(call, record.cause, seq);
    if (record.cause?.type === "subtask.ended") this.#noteBackgroundEnd(record, seq);
    this.#state = record.after;
  }

  /** The problems of the events that were read, and the broken laws. Later events do not change them. */
  found(broken: readonly BrokenLaw[]): Problems {
    const list = withLaws(this.#list, broken);
    return {
      list,
      calls: new Map(this.#calls),
      requests: [...this.#requests],
      parent: this.#parent,
      next: (at, step) =>
        step === 1 ? list.find(({ seq }) => seq > at) : list.findLast(({ seq }) => seq < at),
    };
  }

  #noteMessages(change: LogEvent, seq: number): void {
    if (change.type === "message.appended") this.#noteMessage(change.message, seq);
    if (change.type === "log.replaced")
      for (const message of change.messages) this.#noteMessage(message, seq);
    if (change.type !== "message.amended" || typeof change.patch.text !== "string") return;
    const callId = this.#asked.get(change.ts);
    const known = callId === undefined ? undefined : this.#calls.get(callId);
    if (callId !== undefined && known !== undefined)
      this.#calls.set(callId, { ...known, text: change.patch.text });
  }

  #noteMessage(message: ClineMessage, seq: number): void {
    const { callId, denial, exitCode, type, ask, ts, text } = message;
    if (isRequestMessage(message)) this.#requests.push(seq);
    if (type === "ask" && callId !== undefined && ask !== "command_output") {
      this.#asked.set(ts, callId);
      this.#calls.set(callId, { seq, ...this.#calls.get(callId), ask, text: text ?? "" });
    }
    if (denial !== undefined && callId !== undefined)
      this.#addOfCall(callId, seq, { kind: "denial", source: { by: "record", denial } });
    if (exitCode !== undefined && exitCode !== 0)
      this.#addOfCall(callId ?? "", seq, { kind: "exit", code: exitCode });
    const isLimit = ask === "auto_approval_max_req_reached" || ask === "mistake_limit_reached";
    if (isLimit || message.errorCode === "shut_down")
      this.#list.push({ seq, trouble: { kind: "limit", ask: message } });
  }

  #noteCause({ cause, before, after, log }: CommitRecord, seq: number): void {
    const type = cause?.type ?? "";
    if (cause !== undefined && type.startsWith("llm.tool.")) this.#noteBegin(cause, seq);
    const isDenied = type === "request.hooked" && topState(after) === "idle";
    if (isDenied || FAILURES.has(type)) this.#addAttempt({ seq, message: failureOf(log, cause) }, before);
    // The response of a judged request follows, unless it is withheld.
    if (type === "response.judged" && topState(after) !== "streaming")
      this.#list.push({ seq, trouble: { kind: "denial", source: { by: "protocol" } } });
    if (type === "llm.finished" || type === "task.cancel") this.#failing = undefined;
    if (type === "task.recovered" && !hasNoWork(this.#state))
      this.#list.push({ seq, trouble: { kind: "crash", state: this.#state } });
  }

  /** The begin of a call, and its arguments once they are complete. */
  #noteBegin({ callId, input }: RecordedCause, seq: number): void {
    if (typeof callId !== "string") return;
    const target = typeof input === "object" ? targetIn(input) : undefined;
    this.#calls.set(callId, { seq, ...this.#calls.get(callId), ...(target !== undefined && { target }) });
  }

  /** A failed attempt belongs to the same problem as the one before, unless a response came between them. */
  #addAttempt(attempt: Attempt, before: string): void {
    // A failure that comes after its request has ended changes nothing.
    if (!before.startsWith("streaming")) return;
    const known = this.#failing === undefined ? undefined : this.#list[this.#failing];
    if (this.#failing !== undefined && known?.trouble.kind === "request") {
      const attempts = [...known.trouble.attempts, attempt];
      this.#list[this.#failing] = { ...known, trouble: { kind: "request", attempts } };
      return;
    }
    this.#failing = this.#list.length;
    this.#list.push({ seq: attempt.seq, trouble: { kind: "request", attempts: [attempt] } });
  }

  #noteCall(call: RecordedCall, cause: RecordedCause | undefined, seq: number): void {
    const { callId } = call;
    if (call.phase === "delegated") this.#children.set(callId, call.childId);
    if (!("outcome" in call) || this.#ofCall.has(callId)) return;
    const trouble = this.#troubleOf(call.outcome, callId, cause);
    if (trouble !== undefined) this.#addOfCall(callId, seq, trouble);
  }

  /** The call of a subtask in the background had its result at its start: a later failure is only in its end. */
  #noteBackgroundEnd({ cause, facts }: CommitRecord, seq: number): void {
    const of = facts?.backgroundSubtasks?.find(({ callId }) => callId === cause?.callId);
    if (of?.end?.kind !== "failed") return;
    const { callId, childId, end } = of;
    this.#addOfCall(callId, seq, { kind: "subtask", message: end.message, child: childId });
  }

  #troubleOf(
    { kind, content }: Outcome,
    callId: string,
    cause: RecordedCause | undefined,
  ): Trouble | undefined {
    const message = content.map((block) => (block.type === "text" ? errorIn(block.text) : "")).join(" ");
    if (kind === "denied") return { kind: "denial", source: this.#deniedBy(callId, cause) };
    if (kind === "invalid") return { kind, message };
    if (kind !== "failed") return undefined;
    if (cause?.type === "subtask.ended")
      return { kind: "subtask", message, child: this.#children.get(callId) };
    return { kind: "failure", message };
  }

  #deniedBy(callId: string, cause: RecordedCause | undefined): DeniedBy {
    const isAnswer = typeof cause?.askId === "number" && this.#asked.get(cause.askId) === callId;
    if (isAnswer && cause.type === "ask.answered") return { by: "answer" };
    if (isAnswer && cause.type === "ask.expired") return { by: "deadline", rule: String(cause.rule) };
    return { by: "unknown" };
  }

  /** A call has one problem. A message that names the source of a denial completes an earlier one. */
  #addOfCall(callId: string, seq: number, trouble: Trouble): void {
    const position = this.#ofCall.get(callId);
    const known = position === undefined ? undefined : this.#list[position];
    if (position === undefined || known === undefined) {
      this.#ofCall.set(callId, this.#list.length);
      this.#list.push({ seq, trouble, callId });
    } else if (known.trouble.kind === "denial" && known.trouble.source.by === "unknown")
      this.#list[position] = { ...known, trouble };
  }
}

/** The problems with the broken laws, each after the other problems of its event. */
function withLaws(list: readonly Problem[], broken: readonly BrokenLaw[]): readonly Problem[] {
  const laws = broken.map(
    ({ seq, law, expected, came }): Problem => ({ seq, trouble: { kind: "law", law, expected, came } }),
  );
  return laws.length === 0 ? [...list] : [...list, ...laws].sort((one, other) => one.seq - other.seq);
}

/** The argument that names a call best. */
function targetIn(input: Readonly<Record<string, unknown>>): string | undefined {
  const texts = [input.path, input.command, ...Object.values(input)];
  return texts.find((value): value is string => typeof value === "string" && value !== "");
}

/** The reason in the result of a call that failed, or else the whole text. */
function errorIn(text: string): string {
  const value = parseJson(text);
  const error = typeof value === "object" && value !== null && "error" in value ? value.error : undefined;
  return typeof error === "string" ? error : text;
}

/** The events that end an attempt of a request. */
const FAILURES: ReadonlySet<string> = new Set(["llm.failed", "condense.failed", "context.failed"]);

/** The message of a failed attempt: from the request's message, or else from the cause. */
function failureOf(log: readonly LogEvent[], cause: RecordedCause | undefined): string {
  for (const change of log) {
    if (change.type !== "message.amended" || typeof change.patch.text !== "string") continue;
    const message = { ts: change.ts, type: "say", say: "api_req_started", text: change.patch.text } as const;
    const failed = requestInfo(message)?.streamingFailedMessage;
    if (failed !== undefined) return failed;
  }
  for (const change of log)
    if (change.type === "message.appended" && change.message.ask === "api_req_failed")
      return change.message.text ?? "";
  const failure = cause?.failure;
  if (typeof failure === "object") return String(failure.message ?? failure.code ?? "");
  return String(cause?.message ?? "");
}
