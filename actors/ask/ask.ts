import type { CallbackActorLogic, EventObject } from "xstate";
import type { Answer } from "../../machines/message/index.ts";
import type { ActorInputs, AskEvent } from "../../machines/task/index.ts";
import { type Edge, type Released, released, waitUntil } from "../protocol/index.ts";
import type { AnswerResult, AskBoard, AskHandle } from "./board.ts";

type AskInput = ActorInputs["ask"];

/**
 * What a policy answers when nobody else has: `afterMs` from when the ask was first posted, in the name of `rule`. At 0
 * nobody else is asked. A task that is opened again keeps the deadline: the ask's id is the time of its row.
 */
export interface Expiry {
  readonly afterMs: number;
  readonly answer: Answer;
  readonly rule: string;
}

export interface AskOptions {
  /** Where clients find the ask. */
  readonly board: AskBoard;
  /** Which asks expire. Default: none. */
  readonly expiry?: (ask: AskInput) => Expiry | undefined;
}

/**
 * Puts the ask up on the board once it is released, and takes one answer of a kind that it accepts; then
 * `ask.answered`, or `ask.expired` where a policy's deadline was first. Answers that don't fit, come second or come
 * too late are refused by name and change nothing (L8).
 */
export function askActor(
  edge: Edge,
  { board, expiry }: AskOptions,
): CallbackActorLogic<EventObject, AskInput> {
  return released<EventObject, AskEvent, AskInput>(
    edge,
    () => true,
    ({ input, send }) => {
      let phase: "open" | "settled" | "closed" = "open";
      const handle: AskHandle = {
        ...input,
        answer(answer): AnswerResult {
          if (phase !== "open") return refused(phase, input);
          if (!input.accepts.includes(answer.kind)) return misfit(input, answer);
          if (isBlank(answer)) return blank(input);
          phase = "settled";
          send({ type: "ask.answered", askId: input.askId, answer });
          return { taken: true };
        },
      };
      const ending = fitting(expiry?.(input), input);
      if (ending?.afterMs === 0) {
        send({ type: "ask.expired", askId: input.askId, answer: ending.answer, rule: ending.rule });
        return () => {};
      }
      const takeDown = board.post(handle);
      const forget = expire(edge, ending, input, (event) => {
        phase = "settled";
        send(event);
      });
      return () => {
        if (phase === "open") phase = "closed";
        forget();
        takeDown();
      };
    },
  );
}

/** A policy that gives an answer which its ask does not take was written wrong. */
function fitting(expiry: Expiry | undefined, input: AskInput): Expiry | undefined {
  if (expiry === undefined) return undefined;
  if (input.accepts.includes(expiry.answer.kind) && !isBlank(expiry.answer)) return expiry;
  throw new RangeError(
    `Rule ${expiry.rule} would answer ask ${input.askId} (${input.ask}) with ${expiry.answer.kind}; ` +
      `it takes ${input.accepts.join(", ")}. Give the rule one of these; a text must have words.`,
  );
}

function expire(
  edge: Edge,
  expiry: Expiry | undefined,
  { askId }: AskInput,
  send: Released<EventObject, AskEvent, AskInput>["send"],
): () => void {
  if (expiry === undefined) return () => {};
  const { answer, rule } = expiry;
  return waitUntil(edge.clock, askId + expiry.afterMs, () =>
    send({ type: "ask.expired", askId, answer, rule }),
  );
}

const isBlank = ({ kind, text, images = [] }: Answer): boolean =>
  kind === "text" && text.trim() === "" && images.length === 0;

function blank({ askId, ask }: AskInput): AnswerResult {
  return {
    taken: false,
    code: "ANSWER_REFUSED",
    message: `Ask ${askId} (${ask}) expects words; only white space came. Say something, or send an image.`,
  };
}

function misfit({ askId, ask, accepts }: AskInput, { kind }: Answer): AnswerResult {
  const good = accepts.length === 0 ? "nothing" : accepts.join(", ");
  return {
    taken: false,
    code: "ANSWER_REFUSED",
    message: `Ask ${askId} (${ask}) takes ${good}, not ${kind}. Give one of the answers that it takes.`,
  };
}

function refused(phase: "settled" | "closed", { askId, ask }: AskInput): AnswerResult {
  return phase === "settled"
    ? {
        taken: false,
        code: "ASK_ALREADY_ANSWERED",
        message: `Ask ${askId} (${ask}) has its answer: it takes one, and another came first. Look at the open ask.`,
      }
    : {
        taken: false,
        code: "ASK_CLOSED",
        message: `Ask ${askId} (${ask}) was withdrawn before it was answered. Look at the open ask, or resume the task.`,
      };
}
