import type { MessagesRequest } from "../protocol/index.ts";
import type { Answer, Fault, MockScript } from "../script/index.ts";
import { type Attempts, conversationKey } from "./attempts.ts";
import { type ChosenTurn, chooseTurn } from "./choose-turn.ts";
import type { Exchange } from "./exchange.ts";
import { replyTo } from "./reply.ts";
import { serveStatus, serveStream, serveWhole } from "./serve.ts";

/** Answers a request for a message: with its turn, or with the fault that stands before it. */
export async function answer(
  exchange: Exchange,
  script: MockScript,
  attempts: Attempts,
  asked: MessagesRequest,
): Promise<void> {
  const chosen = chooseTurn(script, asked.messages);
  const { turn, index, rule } = chosen;
  const key = turn.faults.length === 0 ? undefined : conversationKey(asked, `${rule}/${index}`);
  const attempt = key === undefined ? 0 : attempts.next(key);
  const fault = turn.faults[attempt] ?? (turn.answer === undefined ? turn.faults.at(-1) : undefined);
  exchange.record(statusWith(fault), {
    turn: index + 1,
    ...(rule === undefined ? {} : { rule: rule + 1 }),
    attempt: attempt + 1,
    ...(fault === undefined ? {} : { fault: fault.kind }),
  });
  const whole = await serve(exchange, script, chosen, fault, asked);
  // After garbage the client may ask again, however whole the rest was: that is the next attempt.
  const answered = whole && (fault === undefined || fault.kind === "stall");
  if (answered && key !== undefined) attempts.answered(key);
}

function statusWith(fault: Fault | undefined): number {
  if (fault?.kind === "drop") return 0;
  return fault?.kind === "status" ? fault.status : 200;
}

async function serve(
  { id, response }: Exchange,
  script: MockScript,
  chosen: ChosenTurn,
  fault: Fault | undefined,
  asked: MessagesRequest,
): Promise<boolean> {
  if (fault?.kind === "drop") {
    response.destroy();
    return true;
  }
  if (fault?.kind === "status") {
    serveStatus(response, fault, id);
    return true;
  }
  const said = fault?.answer ?? chosen.turn.answer ?? nothing;
  const reply = replyTo(asked, script, chosen, said);
  return asked.stream === true ? serveStream(response, reply, fault) : serveWhole(response, reply, fault, id);
}

const nothing: Answer = { blocks: [], usage: {}, stop: "end_turn", stopSequence: null };
