import type { CallbackActorLogic, EventObject } from "xstate";
import type { Answer } from "../../machines/message/asks.ts";
import type { AskEvent } from "../../machines/task/task.events.ts";
import type { ActorInputs, AmendableCall } from "../../machines/task/task.setup.ts";
import type { Requires } from "../environment.ts";
import { modesOf } from "../permitted-tools.ts";
import type { Edge } from "../protocol/edge.ts";
import { released } from "../protocol/released.ts";
import { waitUntil } from "../protocol/wait-until.ts";
import { type AmendedArguments, amendedArguments } from "../review/amended.ts";
import { type ToolSources, taskRegistry } from "../toolset.ts";
import { parseElicited } from "./elicited.ts";
import type { Expiry } from "./expiry.ts";
import type { AnswerRefusal, AnswerResult, AskHandle } from "./open-asks.ts";
import { invalidSelection } from "./selection.ts";

type AskInput = ActorInputs["ask"];

/**
 * Opens an ask once it is released, and accepts one answer of an accepted kind. Sends `ask.answered`, or `ask.expired`
 * if the deadline of a policy comes first. Any other answer is rejected with a code and changes nothing (L8).
 */
export function askActor(
  edge: Edge,
  environment: Requires<ToolSources | "asks" | "expiry" | "modes">,
): CallbackActorLogic<EventObject, AskInput> {
  const { asks, expiry } = environment;
  const invalid: Validate = (answer) => invalidSelection(answer, modesOf(environment));
  const amend: Amend = (call, amendment) => amendedArguments(taskRegistry(environment), call, amendment);
  return released<EventObject, AskEvent, AskInput>(
    edge,
    () => true,
    ({ input, send }) => {
      const { askId, ask, text, accepts, callId } = input;
      let phase: "open" | "settled" | "closed" = "open";
      const given = acceptance(input) ?? expiry?.(input);
      const expires = given && acceptedExpiry(given, input, invalid);
      const expiresAt = expires && askId + expires.afterMs;
      const handle: AskHandle = {
        askId,
        ask,
        text,
        accepts,
        ...(callId !== undefined && { callId }),
        ...(expiresAt !== undefined && { expiresAt }),
        answer(answer): AnswerResult {
          const rejection = phase === "open" ? checkAnswer(input, invalid, answer) : lateAnswer(phase, input);
          if (rejection !== undefined) return rejection;
          const checked = readAnswer(input, amend, answer);
          if ("ok" in checked) return checked;
          phase = "settled";
          send({ type: "ask.answered", askId, ...checked });
          return { ok: true };
        },
      };
      const expire = ({ answer, elicited, rule }: PolicyAnswer): void => {
        phase = "settled";
        send({ type: "ask.expired", askId, answer, rule, ...(elicited !== undefined && { elicited }) });
      };
      if (expires?.afterMs === 0) {
        expire(expires);
        return () => {};
      }
      const remove = asks.add(handle);
      const cancelExpiry = expires && waitUntil(edge.clock, askId + expires.afterMs, () => expire(expires));
      return () => {
        if (phase === "open") phase = "closed";
        cancelExpiry?.();
        remove();
      };
    },
  );
}

/** The expiry of an ask that a rule answers at once. */
const acceptance = ({ acceptedBy: rule }: AskInput): Expiry | undefined =>
  rule === undefined ? undefined : { afterMs: 0, answer: { kind: "yes" }, rule };

/** The reason why the rule or the mode that an answer selects is wrong; undefined for a valid one. */
type Validate = (answer: Answer) => string | undefined;
type Amend = (call: AmendableCall, amendment: unknown) => AmendedArguments;

const NO_AMENDMENT = { ok: false, error: "no call takes one." } as const;

type PolicyAnswer = Pick<Extract<AskEvent, { type: "ask.expired" }>, "answer" | "elicited" | "rule">;
type CheckedAnswer = Pick<Extract<AskEvent, { type: "ask.answered" }>, "answer" | "digest" | "elicited">;

/** The answer as it is recorded, and what it means: to a request for input, or as an amendment. */
function readAnswer(input: AskInput, amend: Amend, answer: Answer): CheckedAnswer | AnswerResult {
  const { askId, ask, elicitation } = input;
  if (elicitation === undefined) return checkAmendment(input, amend, answer);
  const read = parseElicited(elicitation, answer.kind === "text" ? answer.text : "");
  if (!read.ok)
    return reject("ANSWER_REFUSED", `The answer to ask ${askId} (${ask}) is not valid: ${read.error}`);
  // The values of a form are the call's alone: no text has them.
  return { answer: { kind: "text", text: read.answer.action }, elicited: read.answer };
}

/** The answer with its amendment as it is recorded, and the digest of the amended arguments. */
function checkAmendment(
  { askId, ask, call }: AskInput,
  amend: Amend,
  answer: Answer,
): CheckedAnswer | AnswerResult {
  if (answer.kind !== "yes" || answer.amendment === undefined) return { answer };
  if (call === undefined)
    return reject(
      "ANSWER_REFUSED",
      `Ask ${askId} (${ask}) takes no amendment: it has no proposal. Approve it as it is, or reject it with feedback.`,
    );
  const amended = amend(call, answer.amendment);
  if (amended.ok) return { answer: { ...answer, amendment: amended.amendment }, digest: amended.digest };
  return reject(
    "ANSWER_REFUSED",
    `The amendment of ask ${askId} (${ask}) is not valid: ${amended.error} Correct it by the ask's proposal.`,
  );
}

/** The answer of a policy as it is recorded. @throws RangeError if the ask doesn't accept it */
function acceptedExpiry(expiry: Expiry, input: AskInput, invalid: Validate): Expiry & PolicyAnswer {
  const { answer, rule } = expiry;
  if (checkAnswer(input, invalid, answer) === undefined) {
    const read = readAnswer(input, () => NO_AMENDMENT, answer);
    if (!("ok" in read)) return { ...expiry, ...read };
  }
  throw new RangeError(
    `Rule ${rule} would answer ask ${input.askId} (${input.ask}) with ${answer.kind}: ` +
      `expected one of ${input.accepts.join(", ")} without an amendment, and a text that is not blank and fits.`,
  );
}

function checkAnswer(
  { askId, ask, accepts }: AskInput,
  invalid: Validate,
  answer: Answer,
): AnswerResult | undefined {
  if (!accepts.includes(answer.kind)) {
    const accepted = accepts.length === 0 ? "nothing" : accepts.join(", ");
    return reject("ANSWER_REFUSED", `Ask ${askId} (${ask}) accepts ${accepted}, not ${answer.kind}.`);
  }
  if (answer.kind === "text" && answer.text.trim() === "" && (answer.images ?? []).length === 0) {
    return reject(
      "ANSWER_REFUSED",
      `Ask ${askId} (${ask}) expects a text or an image, received a blank text.`,
    );
  }
  const problem = invalid(answer);
  if (problem === undefined) return undefined;
  return reject("ANSWER_REFUSED", `The answer to ask ${askId} (${ask}) ${problem}`);
}

/** The result of an answer to an ask that was answered before (`settled`) or withdrawn (`closed`). */
export function lateAnswer(
  phase: "settled" | "closed",
  { askId, ask }: Pick<AskInput, "askId" | "ask">,
): AnswerResult {
  return phase === "settled"
    ? reject("ASK_ALREADY_ANSWERED", `Ask ${askId} (${ask}) is already answered. Look at the open ask.`)
    : reject(
        "ASK_CLOSED",
        `Ask ${askId} (${ask}) was withdrawn before it was answered. Look at the open ask, or resume the task.`,
      );
}

function reject(code: AnswerRefusal, message: string): AnswerResult {
  return { ok: false, code, message };
}
