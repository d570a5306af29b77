import { Observable, Subject } from "rxjs";
import type { Answer, AskType } from "../../machines/message/asks.ts";
import type { OperationResult } from "../../machines/message/operation-result.ts";

/** Reason why an answer is rejected. Nothing has changed. */
export type AnswerRefusal =
  /** No ask has this id. Answer an open ask by its id. */
  | "ASK_UNKNOWN"
  /** The ask does not take this kind of answer. Send one that it `accepts`. */
  | "ANSWER_REFUSED"
  /** Another answer came first. Look at the open ask. */
  | "ASK_ALREADY_ANSWERED"
  /** The ask was withdrawn by a cancel, a close, or the end of its turn. Look at the open ask. */
  | "ASK_CLOSED";

/** Result of an answer. */
export type AnswerResult = OperationResult<AnswerRefusal>;

/** An open ask. Its `answer` method answers this ask and no other (L8). */
export interface AskHandle {
  /** The `ts` of its message. */
  readonly askId: number;
  readonly ask: AskType;
  readonly text: string;
  /** The tool call that it asks about. */
  readonly callId?: string;
  /** The kinds of answers that it accepts. */
  readonly accepts: readonly Answer["kind"][];
  /** The time at which a rule answers it, in ms since 1970. Absent if it waits for an answer without limit. */
  readonly expiresAt?: number;
  /** Answer the ask. Never throws: the first answer of an accepted kind is taken, any other is rejected. */
  answer(answer: Answer): AnswerResult;
}

/** The open asks of one task. L8 allows one at a time, but this does not rely on it. */
export interface OpenAsks {
  /** Each ask that opens after the subscription. */
  readonly opened$: Observable<AskHandle>;
  /** The open asks, oldest first. */
  readonly open: readonly AskHandle[];
  /** Answer the ask with this id. */
  answer(askId: number, answer: Answer): AnswerResult;
  /** Add an open ask. Returns a function that removes it; later answers still get the reason why it is closed. */
  add(handle: AskHandle): () => void;
}

export interface OpenAsksOptions {
  /** Closed asks for which a late answer still gets the reason. Default 100; older ones are unknown. */
  readonly maxClosed?: number;
}

/** Create the open asks of a task whose machine you run without a host. */
export function createOpenAsks({ maxClosed = 100 }: OpenAsksOptions = {}): OpenAsks {
  return new OpenAskList(maxClosed);
}

class OpenAskList implements OpenAsks {
  readonly #maxClosed: number;
  #open: readonly AskHandle[] = [];
  #closed: readonly AskHandle[] = [];
  #opened: Subject<AskHandle> | undefined;

  constructor(maxClosed: number) {
    this.#maxClosed = maxClosed;
  }

  get opened$(): Observable<AskHandle> {
    return new Observable((subscriber) => {
      this.#opened ??= new Subject();
      return this.#opened.subscribe(subscriber);
    });
  }

  get open(): readonly AskHandle[] {
    return this.#open;
  }

  answer(askId: number, answer: Answer): AnswerResult {
    const handle = find(this.#open, askId) ?? find(this.#closed, askId);
    if (handle !== undefined) return handle.answer(answer);
    return unknown(
      askId,
      this.#open.map((open) => open.askId),
    );
  }

  add(handle: AskHandle): () => void {
    const { askId } = handle;
    this.#open = without(this.#open, askId).concat(handle);
    this.#closed = without(this.#closed, askId);
    this.#opened?.next(handle);
    return () => this.#close(handle);
  }

  #close(handle: AskHandle): void {
    if (!this.#open.includes(handle)) return;
    this.#open = without(this.#open, handle.askId);
    const closed = this.#closed.concat(handle);
    this.#closed = closed.slice(Math.max(0, closed.length - this.#maxClosed));
  }
}

const find = (handles: readonly AskHandle[], askId: number): AskHandle | undefined =>
  handles.find((handle) => handle.askId === askId);

const without = (handles: readonly AskHandle[], askId: number): readonly AskHandle[] =>
  handles.filter((handle) => handle.askId !== askId);

function unknown(askId: number, open: readonly number[]): AnswerResult {
  const now = open.length === 0 ? "no ask is open" : `open now: ${open.join(", ")}`;
  return {
    ok: false,
    code: "ASK_UNKNOWN",
    message: `Expected the id of an open ask, received ${askId} (${now}). To send a message without an ask, queue it.`,
  };
}
