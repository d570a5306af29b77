import { textBlock } from "../../machines/conversation/blocks.ts";
import { BrokenInvariantError } from "../../machines/task/errors.ts";
import { addUsage, NO_USAGE } from "../../machines/task/request.ts";
import type { CondenseEvent, LlmEvent, Usage } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import { controlResponse, type JudgedResponse, type WholeResponse } from "../control/control-response.ts";
import type { Requires } from "../environment.ts";
import type { Edge } from "../protocol/edge.ts";
import type { Untimed } from "../protocol/released.ts";
import type { ResponseJudge } from "./request-actor.ts";
import type { SummaryResponse } from "./summary.ts";

type Input = ActorInputs["condense"];
type Finished = Untimed<Extract<LlmEvent, { type: "llm.finished" }>>;

/**
 * The judge of a summary, which is a response without calls to the protocol; undefined where none judges responses.
 * @throws BrokenInvariantError where the protocol is missing
 */
export function summaryJudge(
  { clock }: Pick<Edge, "clock">,
  { control }: Requires<"control">,
  { requestId, conversation, control: state }: Input,
): ResponseJudge<CondenseEvent, SummaryResponse> | undefined {
  if (state === undefined) return undefined;
  if (control === undefined)
    throw new BrokenInvariantError("a protocol judges the summary, and the actors have none");
  const whole = (summary: string, usage: Usage): WholeResponse => {
    const content = [textBlock(summary)];
    const finished = { type: "llm.finished", requestId, content, usage, stopReason: "end_turn" } as const;
    return { events: [finished], finished };
  };
  return async ({ read, signal }) => {
    const judged = await controlResponse({
      ...control,
      clock,
      signal,
      requestId,
      conversation,
      state,
      sample: async () => {
        const { summary, usage } = summaryIn(await read());
        return whole(summary, usage);
      },
      compose: ({ text = "" }) => whole(text, NO_USAGE),
    });
    return [finishedBy(judged)];
  };
}

function summaryIn(events: readonly Untimed<CondenseEvent>[]) {
  const finished = events.find((event) => event.type === "condense.finished");
  if (finished === undefined) throw new BrokenInvariantError("a whole summary has no end");
  return finished;
}

/** The end of the summary, with its verdict. */
function finishedBy(judged: JudgedResponse): Untimed<CondenseEvent> {
  const verdict = judged.find((event) => event.type === "response.judged");
  if (verdict === undefined) throw new BrokenInvariantError("a judged summary has no verdict");
  const follows = judged.find((event): event is Finished => event.type === "llm.finished");
  const { requestId, control, withheld, told, usage } = verdict;
  return {
    type: "condense.finished",
    requestId,
    summary: (follows?.content ?? [])
      .flatMap((block) => (block.type === "text" ? [block.text] : []))
      .join(""),
    usage: addUsage(usage, follows?.usage ?? NO_USAGE),
    control,
    ...(withheld !== undefined && { withheld }),
    ...(told !== undefined && { told }),
  };
}
