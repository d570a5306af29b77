import { Observable, Subject } from "rxjs";
import type { Answer, AskType } from "../../machines/message/index.ts";

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

/** What became of an answer. `message` says what was expected, what came and what to do. */
export type AnswerResult =
  | { readonly taken: true }
  | { readonly taken: false; readonly code: AnswerRefusal; readonly message: string };

/** An open ask, as a client holds it: an answer is a method of its ask, so that it names it (L8). */
export interface AskHandle {
  /** The `ts` of its row. */
  readonly askId: number;
  readonly ask: AskType;
  readonly text: string;
  /** The tool call that it asks about. */
  readonly callId?: string;
  /** The kinds of answers that it takes. */
  readonly accepts: readonly Answer["kind"][];
  /** Answers it. Never throws; the first answer of a kind that it accepts is taken, every other is refused. */
  answer(answer: Answer): AnswerResult;
}

/** The open asks of one task. L8 allows one at a time; the board itself does not rely on that. */
export interface AskBoard {
  /** Each ask as it opens, from the subscription on. */
  readonly opened$: Observable<AskHandle>;
  /** The asks that are open now, oldest first. */
  readonly open: readonly AskHandle[];
  /** Answers the ask of this id. One that was never here, or so long ago that it is forgotten, is unknown. */
  answer(askId: number, answer: Answer): AnswerResult;
  /** Puts an ask up. The function it gives takes it down; the board still knows why it is closed. */
  post(handle: AskHandle): () => void;
}

export interface AskBoardOptions {
  /** Closed asks that a late answer is still told about by name. Default 100. */
  readonly remembered?: number;
}

/** A board without asks. */
export function createAskBoard({ remembered = 100 }: AskBoardOptions = {}): AskBoard {
  const opened = new Subject<AskHandle>();
  const open = new Map<number, AskHandle>();
  const closed = new Map<number, AskHandle>();
  const remember = (handle: AskHandle): void => {
    closed.set(handle.askId, handle);
    for (const oldest of closed.keys()) {
      if (closed.size <= remembered) return;
      closed.delete(oldest);
    }
  };
  return {
    opened$: new Observable((subscriber) => opened.subscribe(subscriber)),
    get open() {
      return [...open.values()];
    },
    answer(askId, answer) {
      const handle = open.get(askId) ?? closed.get(askId);
      return handle === undefined ? unknown(askId, [...open.keys()]) : handle.answer(answer);
    },
    post(handle) {
      open.set(handle.askId, handle);
      closed.delete(handle.askId);
      opened.next(handle);
      return () => {
        if (open.get(handle.askId) !== handle) return;
        open.delete(handle.askId);
        remember(handle);
      };
    },
  };
}

function unknown(askId: number, open: readonly number[]): AnswerResult {
  const now = open.length === 0 ? "no ask is open" : `open now: ${open.join(", ")}`;
  return {
    taken: false,
    code: "ASK_UNKNOWN",
    message: `There is no ask ${askId} (${now}). Answer an open ask by its id; to speak without one, queue a message.`,
  };
}
