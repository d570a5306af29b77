import type { ClineMessage } from "../../../machines/message/message.ts";
import { isRequestMessage } from "../../../machines/message/request.ts";
import type { UnstartedCalls } from "../../../runtime/task/unstarted-calls.ts";
import type { JsonEvent } from "../../../wire/ndjson/event.ts";
import { changeOf, type TextChange } from "../../text-change.ts";
import type { UsageMeter } from "../../usage-meter.ts";
import { CommandEvents } from "./command-events.ts";
import { type EventFormat, eventFormatOf } from "./event-format.ts";
import type { Line } from "./event-line.ts";

/** A streaming message. */
interface StreamingMessage {
  readonly format: EventFormat;
  text: string;
}

/** Asks that do not block, or that are emitted with a result. */
const ANSWERED_ELSEWHERE: ReadonlySet<string> = new Set(["command_output", "completion_result"]);

/** Emits the messages of one task as events: deltas of a streaming message, then the complete message once. */
export class MessageEvents {
  readonly commands: CommandEvents;
  readonly #emit: (line: Line) => void;
  readonly #usage: UsageMeter;
  readonly #unstarted: Pick<UnstartedCalls, "find"> | undefined;
  readonly #streaming = new Map<number, StreamingMessage>();
  readonly #completed = new Set<number>();
  #awaitsPrompt: boolean;
  /** The newest completion without a result. */
  #completion = "";
  /** The newest text of the agent since the last result. */
  #assistant = "";

  /**
   * @param awaitsPrompt Whether the first text is the prompt of the user
   * @param unstarted The denied calls, if the source has them
   */
  constructor(
    emit: (line: Line) => void,
    usage: UsageMeter,
    awaitsPrompt: boolean,
    unstarted?: Pick<UnstartedCalls, "find">,
  ) {
    this.#emit = emit;
    this.#usage = usage;
    this.#unstarted = unstarted;
    this.#awaitsPrompt = awaitsPrompt;
    this.commands = new CommandEvents(emit);
  }

  /** Read the messages before the emitted ones, for the result. */
  readEarlier(log: Iterable<ClineMessage>): void {
    for (const message of log) if (message.say === "completion_result") this.#noteCompletion(message);
  }

  /** Take the text of the result that an ask offers: its own, else the completion before it, else the agent's last text. */
  takeResult(ask: ClineMessage | undefined): string {
    const text = ask?.text || this.#completion || this.#assistant;
    this.#completion = "";
    this.#assistant = "";
    if (ask !== undefined) this.#completed.add(ask.ts);
    return text;
  }

  /** Read a new or changed message. */
  update(message: ClineMessage): void {
    if (isRequestMessage(message)) this.#usage.add(message);
    else if (message.say === "completion_result" || message.ask === "completion_result")
      this.#noteCompletion(message);
    else if (!this.commands.update(message)) this.#follow(message);
  }

  /** Read a growth of message `ts`; false for a message that does not stream. */
  grow(ts: number, suffix: string, message: ClineMessage): boolean {
    const streaming = this.#streaming.get(ts);
    if (streaming === undefined) return this.commands.grow(ts, suffix);
    // `message.text` is the same text: keeping it saves a copy.
    if (suffix !== "")
      this.#emitChange(streaming, message, message.text ?? "", { kind: "growth", delta: suffix });
    return true;
  }

  #noteCompletion({ ts, text, partial }: ClineMessage): void {
    if (!text || partial === true || this.#completed.has(ts)) return;
    this.#completed.add(ts);
    this.#completion = text;
  }

  #follow(message: ClineMessage): void {
    if (this.#completed.has(message.ts)) return;
    const streaming = this.#streaming.get(message.ts);
    const format = streaming?.format ?? eventFormatOf(message, this.#isPrompt(message));
    if (format === undefined) return;
    if (message.partial === true) this.#stream(streaming ?? this.#start(message, format), message);
    else this.#end(message, format, streaming);
  }

  /** Whether the message is the prompt: the first text, if it does not stream. */
  #isPrompt({ say, partial }: ClineMessage): boolean {
    if (!this.#awaitsPrompt || say !== "text") return false;
    this.#awaitsPrompt = false;
    return partial !== true;
  }

  #start(message: ClineMessage, format: EventFormat): StreamingMessage {
    const streaming = { format, text: "" };
    this.#streaming.set(message.ts, streaming);
    return streaming;
  }

  #stream(streaming: StreamingMessage, message: ClineMessage): void {
    const text = message.text ?? "";
    const change = changeOf(streaming.text, text);
    if (change.kind !== "growth" || change.delta !== "") this.#emitChange(streaming, message, text, change);
  }

  #emitChange(streaming: StreamingMessage, message: ClineMessage, after: string, change: TextChange): void {
    const before = streaming.text;
    streaming.text = after;
    const { delta } = streaming.format;
    if (delta === undefined) return;
    this.#emit({ of: streaming, before, after, change, make: (text) => delta(message, text) });
  }

  #end(message: ClineMessage, format: EventFormat, streaming: StreamingMessage | undefined): void {
    this.#streaming.delete(message.ts);
    this.#completed.add(message.ts);
    const wasEmitted = streaming !== undefined && streaming.text !== "";
    // A message that was withdrawn before its first event is not emitted.
    if (message.closing === "withdrawn" && !wasEmitted) return;
    const complete = format.complete(message);
    if (complete === undefined) return;
    const event = { ...complete, ...this.#denial(message) };
    if (event.type === "assistant" && event.subtype === undefined) this.#assistant = message.text ?? "";
    this.#emit({ event: isOpen(message) ? { ...event, askId: message.ts } : event });
  }

  /** The source of a denial, and the denied call: its own event has no input. */
  #denial({ denial, callId }: ClineMessage): Pick<JsonEvent, "denial" | "tool_use"> {
    if (denial === undefined) return {};
    const call = this.#unstarted?.find(callId);
    return { denial, ...(call !== undefined && { tool_use: call }) };
  }
}

/** Whether the message is an ask that can be answered. */
const isOpen = ({ type, ask, closing, isAnswered }: ClineMessage): boolean =>
  type === "ask" && closing === undefined && isAnswered !== true && !ANSWERED_ELSEWHERE.has(ask ?? "");
