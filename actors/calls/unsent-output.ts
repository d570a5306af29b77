import type { OutputRest } from "../../machines/task/task.events.ts";
import { characterBoundaryAfter } from "../../tools/text.ts";

export interface UnsentOutputOptions {
  /** Maximum bytes of the output of one call in a request: its end. Default 8,000. */
  readonly backgroundOutputBytes?: number;
}

/** The end of an output. */
interface Tail {
  readonly text: string;
  /** Whether the text has lost its beginning. */
  readonly isCut: boolean;
}

interface CallOutput {
  /** Whether a request of the conversation has some of the output. */
  readonly isSent: boolean;
  /** The newest environment block when output was last offered. */
  readonly sentWith: string | undefined;
  /** The output in the environment block that was created last. */
  readonly offer: { readonly environment: string; readonly tail: Tail } | undefined;
  /** The output after that block. */
  readonly rest: Tail;
}

const EMPTY: Tail = { text: "", isCut: false };
const NEW: CallOutput = { isSent: false, sentWith: undefined, offer: undefined, rest: EMPTY };
const CUT = "[... earlier output is cut ...]\n";

/**
 * The output of running calls that no request of the conversation has. An environment block may be dropped with its
 * request: its output counts as sent only when the conversation has the block. Lost with the process, as the commands.
 */
export class UnsentOutput {
  readonly #maxBytes: number;
  readonly #calls = new Map<string, CallOutput>();

  constructor({ backgroundOutputBytes = 8_000 }: UnsentOutputOptions = {}) {
    this.#maxBytes = backgroundOutputBytes;
  }

  add(callId: string, text: string): void {
    const call = this.#calls.get(callId) ?? NEW;
    this.#calls.set(callId, { ...call, rest: this.#join(call.rest, { text, isCut: false }) });
  }

  /** The output of a call that the conversation, whose newest environment block is `newest`, does not have. */
  of(callId: string, newest: string | undefined): string {
    const call = this.#calls.get(callId);
    if (call === undefined) return "";
    const { offer, rest } = call;
    const isAccepted = offer !== undefined && offer.environment === newest;
    const settled = isAccepted
      ? { ...call, isSent: call.isSent || offer.tail.text !== "" }
      : { ...call, rest: this.#join(offer?.tail ?? EMPTY, rest) };
    this.#calls.set(callId, { ...settled, sentWith: newest, offer: undefined });
    return this.#format(settled.rest);
  }

  /** The output that {@link of} returned is in this environment block. */
  offered(callId: string, environment: string): void {
    const call = this.#calls.get(callId);
    if (call !== undefined)
      this.#calls.set(callId, { ...call, offer: { environment, tail: call.rest }, rest: EMPTY });
  }

  /** The conversation gets all output so far in another way. */
  markSent(callId: string): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    const { offer } = call;
    const settled = offer === undefined ? {} : { offer: { ...offer, tail: EMPTY } };
    this.#calls.set(callId, { ...call, ...settled, isSent: true, rest: EMPTY });
  }

  /** Forget a call that has ended. Returns what is left after each block that the conversation may have as its newest. */
  end(callId: string): readonly OutputRest[] {
    const { isSent, sentWith, offer, rest } = this.#calls.get(callId) ?? NEW;
    this.#calls.delete(callId);
    const rests: OutputRest[] = [];
    if (offer !== undefined && (isSent || offer.tail.text !== ""))
      rests.push({ after: offer.environment, output: this.#format(rest) });
    if (isSent && sentWith !== undefined)
      rests.push({ after: sentWith, output: this.#format(this.#join(offer?.tail ?? EMPTY, rest)) });
    return rests;
  }

  /** Keeps up to twice the maximum, so that it is not copied for each chunk. */
  #join(one: Tail, other: Tail): Tail {
    const text = one.text + other.text;
    const isCut = one.isCut || other.isCut;
    return text.length <= 2 * this.#maxBytes
      ? { text, isCut }
      : { text: text.slice(-this.#maxBytes), isCut: true };
  }

  #format({ text, isCut }: Tail): string {
    const bytes = Buffer.from(text);
    if (bytes.length <= this.#maxBytes) return isCut ? CUT + text.toWellFormed() : text.toWellFormed();
    const start = characterBoundaryAfter(bytes, bytes.length - this.#maxBytes);
    return CUT + bytes.toString("utf8", start);
  }
}
