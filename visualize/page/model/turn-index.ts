import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { isRequestMessage, requestInfo } from "../../../machines/message/request.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import { headOf } from "../text/printable.ts";

/** A tool call of a turn. */
export interface TurnCall {
  readonly callId: string;
  /** The event that it began in. */
  readonly seq: number;
  /** The `ts` of its ask. Undefined: it has none. */
  readonly askId?: number;
  /** The id of the subtask that it started. */
  readonly child?: string;
}

/** A part of a task: a message of a person, or a request with its attempts, its response and its tool calls. */
export interface Turn {
  readonly by: "person" | "model";
  /** Its first event. */
  readonly seq: number;
  /** The start of the person's or the model's text. Empty: none. */
  readonly text: string;
  /** The number of times that the request was sent; 0: a person began the turn. */
  readonly attempts: number;
  /** The event that added the response to the conversation. */
  readonly respondedAt?: number;
  readonly calls: readonly TurnCall[];
}

/** The most characters of a turn's text. */
const TEXT_CHARS_MAX = 160;

/** Finds the turns of a trace. It grows with the trace: each event is read once. */
export class TurnIndex {
  readonly #turns: Turn[] = [];
  /** The positions of the turns of calls, by the calls' ids. */
  readonly #ofCall = new Map<string, number>();
  /** The message whose text the newest turn has, by its `ts`. */
  #textOf: number | undefined;
  /** Whether the newest request was complete when it was appended: an imported log has no responses. */
  #isImported = false;

  /** Read the next event. */
  read({ seq, record }: TraceEvent): void {
    if (record.kind !== "commit") return;
    this.#noteResponse(record, seq);
    const { cause } = record;
    if (cause?.type.startsWith("llm.tool.") && typeof cause.callId === "string")
      this.#noteCall({ callId: cause.callId, seq });
    for (const call of record.calls) {
      const child = call.phase === "delegated" ? { child: call.childId } : {};
      this.#noteCall({ callId: call.callId, seq, ...child });
    }
    for (const change of record.log) this.#noteChange(change, seq);
  }

  /** The turns of the events that were read. Later events do not change them. */
  found(): readonly Turn[] {
    return [...this.#turns];
  }

  #noteResponse({ conversation }: CommitRecord, seq: number): void {
    const isResponse = conversation.some(
      (change) => change.type === "entry.appended" && change.entry.role === "assistant",
    );
    const newest = this.#turns.at(-1);
    if (isResponse && newest?.by === "model") this.#replace({ ...newest, respondedAt: seq });
  }

  #noteChange(change: LogEvent, seq: number): void {
    if (change.type === "message.appended") this.#noteMessage(change.message, seq);
    if (change.type === "log.replaced")
      for (const message of change.messages) this.#noteMessage(message, seq);
    const newest = this.#turns.at(-1);
    if (newest === undefined) return;
    const isFull = newest.text.length >= TEXT_CHARS_MAX - 1;
    if (change.type === "message.grown" && change.ts === this.#textOf && !isFull)
      this.#replace({ ...newest, text: headOf(newest.text + change.text, TEXT_CHARS_MAX) });
    if (change.type === "message.amended" && change.ts === this.#textOf && change.patch.text !== undefined)
      this.#replace({ ...newest, text: headOf(change.patch.text ?? "", TEXT_CHARS_MAX) });
  }

  #noteMessage(message: ClineMessage, seq: number): void {
    const { type, ask, say, ts, callId } = message;
    const text = message.text ?? "";
    if (say === "user_feedback" || (say === "text" && this.#turns.length === 0))
      this.#start({ by: "person", seq, text: headOf(text, TEXT_CHARS_MAX), attempts: 0, calls: [] }, ts);
    else if (isRequestMessage(message)) this.#noteRequest(message, seq);
    else if (say === "text" && callId === undefined) this.#noteText(text, ts);
    if (type === "ask" && callId !== undefined && ask !== "command_output")
      this.#noteCall({ callId, seq, askId: ts });
  }

  /** A request after one without a response is another attempt of it. */
  #noteRequest(message: ClineMessage, seq: number): void {
    const newest = this.#turns.at(-1);
    const hasResponse = newest?.respondedAt !== undefined || this.#isImported;
    this.#isImported = isComplete(message);
    if (newest?.by === "model" && !hasResponse && newest.calls.length === 0)
      this.#replace({ ...newest, attempts: newest.attempts + 1 });
    else this.#start({ by: "model", seq, text: "", attempts: 1, calls: [] }, undefined);
  }

  #noteText(text: string, ts: number): void {
    const newest = this.#turns.at(-1);
    if (newest?.by !== "model" || newest.text !== "") return;
    this.#textOf = ts;
    this.#replace({ ...newest, text: headOf(text, TEXT_CHARS_MAX) });
  }

  #noteCall(call: TurnCall): void {
    const position = this.#ofCall.get(call.callId) ?? this.#turns.length - 1;
    const turn = this.#turns[position];
    if (turn === undefined) return;
    this.#ofCall.set(call.callId, position);
    const known = turn.calls.find(({ callId }) => callId === call.callId);
    if (known !== undefined && Object.keys(call).every((key) => key in known)) return;
    const calls =
      known === undefined
        ? [...turn.calls, call]
        : turn.calls.map((one) => (one === known ? { ...call, ...known } : one));
    this.#turns[position] = { ...turn, calls };
  }

  #start(turn: Turn, ts: number | undefined): void {
    this.#textOf = ts;
    this.#turns.push(turn);
  }

  /** Change the newest turn. */
  #replace(turn: Turn): void {
    this.#turns[this.#turns.length - 1] = turn;
  }
}

/** Whether a request has its cost, and did not fail. */
function isComplete(message: ClineMessage): boolean {
  const { cost, cancelReason, streamingFailedMessage } = requestInfo(message) ?? {};
  return cost !== undefined && cancelReason === undefined && streamingFailedMessage === undefined;
}
