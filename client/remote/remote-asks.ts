import * as z from "zod";
import { type AskHandle, createOpenAsks, type OpenAsks } from "../../actors/ask/open-asks.ts";
import { type Answer, ASKS, answerHandling, isAskType } from "../../machines/message/asks.ts";
import type { AgentStateInfo } from "../../machines/message/detect.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { AskFacts } from "../../runtime/task/ask.ts";
import { proposalSchema } from "../../wire/http/api.ts";

const askFactsSchema = z.object({
  type: z.literal("askFacts"),
  askId: z.number(),
  rules: z.array(z.string()),
  proposal: proposalSchema.exactOptional(),
});

const KINDS: readonly Answer["kind"][] = ["yes", "no", "text"];

/** The asks of a task in another process, from its messages. An answer is sent once, to the ask that it names (L8). */
export class RemoteAsks {
  readonly openAsks: OpenAsks = createOpenAsks();
  readonly #send: (askId: number, answer: Answer) => void;
  /** The open ask. */
  #openId: number | undefined;
  #close = (): void => {};
  /** The parts that an answer to the newest ask about a call can add. */
  #facts: z.output<typeof askFactsSchema> | undefined;

  constructor(send: (askId: number, answer: Answer) => void) {
    this.#send = send;
  }

  /** Take a message with the facts of an ask, which comes before the ask. Returns whether it is one. */
  takeFacts(message: unknown): boolean {
    const facts = askFactsSchema.safeParse(message);
    if (facts.success) this.#facts = facts.data;
    return facts.success;
  }

  /** The parts that an answer to the ask can add. */
  factsOf(id: number): Pick<AskFacts, "rules" | "proposal"> {
    if (this.#facts?.askId !== id) return {};
    const { rules, proposal } = this.#facts;
    return { rules, ...(proposal !== undefined && { proposal }) };
  }

  /** Update the open ask. */
  update({ lastMessage: message }: AgentStateInfo): void {
    const handle = message === undefined ? undefined : this.#handleOf(message);
    if (handle?.askId === this.#openId) return;
    this.#close();
    this.#openId = handle?.askId;
    this.#close = handle === undefined ? () => {} : this.openAsks.add(handle);
  }

  #handleOf({
    ts: askId,
    type,
    ask,
    text = "",
    partial,
    closing,
    callId,
  }: ClineMessage): AskHandle | undefined {
    if (type !== "ask" || partial === true || closing !== undefined || !isAskType(ask)) return undefined;
    const accepts = KINDS.filter((kind) => answerHandling(ask, kind) === "accepted");
    const { category } = ASKS[ask];
    let isAnswered = false;
    return {
      askId,
      ask,
      text: text ?? "",
      accepts,
      ...(callId !== undefined && { callId }),
      answer: (answer) => {
        if (this.#openId !== askId) return refused("ASK_CLOSED", `Ask ${askId} (${ask}) is closed.`);
        if (isAnswered) return refused("ASK_ALREADY_ANSWERED", `Ask ${askId} (${ask}) was answered already.`);
        if (!accepts.includes(answer.kind))
          return refused(
            "ANSWER_REFUSED",
            `Ask ${askId} (${ask}, ${category}) takes ${accepts.join(" or ")}, got ${answer.kind}.`,
          );
        isAnswered = true;
        this.#send(askId, answer);
        return { ok: true };
      },
    };
  }
}

const refused = (code: "ASK_CLOSED" | "ASK_ALREADY_ANSWERED" | "ANSWER_REFUSED", message: string) => ({
  ok: false as const,
  code,
  message,
});
