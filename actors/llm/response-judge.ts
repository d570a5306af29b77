import type { MonitoredAction } from "../../control/runtime/action.ts";
import { BrokenInvariantError } from "../../machines/task/errors.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { LlmEvent, ResponseJudged } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import { controlResponse, type WholeResponse } from "../control/control-response.ts";
import type { Requires } from "../environment.ts";
import type { Edge } from "../protocol/edge.ts";
import type { Untimed } from "../protocol/released.ts";
import type { ResponseJudge } from "./request-actor.ts";
import type { ModelResponse } from "./response.ts";

type Input = ActorInputs["llm"];
type Judged = LlmEvent | ResponseJudged;

/**
 * The judge of a response that a protocol judges; undefined for any other.
 * @throws BrokenInvariantError where the protocol is missing
 */
export function responseJudge(
  { clock }: Pick<Edge, "clock">,
  { control }: Requires<"control">,
  { requestId, history, control: state }: Input,
): ResponseJudge<Judged, ModelResponse> | undefined {
  if (state === undefined) return undefined;
  if (control === undefined)
    throw new BrokenInvariantError("a protocol judges the response, and the actors have none");
  return ({ read, reader, signal }) =>
    controlResponse({
      ...control,
      clock,
      signal,
      requestId,
      conversation: history,
      state,
      sample: async () => wholeOf(await read()),
      compose: (content) => wholeOf(compose(reader(), content)),
    });
}

function wholeOf(events: readonly Untimed<Judged>[]): WholeResponse {
  const own = events.filter((event) => event.type !== "response.judged");
  const finished = own.find((event) => event.type === "llm.finished");
  if (finished === undefined) throw new BrokenInvariantError("a whole response has no end");
  return { events: own, finished };
}

/** The events of a response that no model streamed. It costs nothing. */
function compose(
  reader: ModelResponse,
  { text = "", calls }: Pick<MonitoredAction, "text" | "calls">,
): readonly Untimed<LlmEvent>[] {
  if (text.trim() !== "") {
    reader.push({ type: "text.delta", text });
    reader.push({ type: "block.end" });
  }
  calls.forEach(({ tool, input }, index) => {
    reader.push({ type: "tool.start", id: `control_${index}`, name: tool });
    reader.push({ type: "tool.delta", json: JSON.stringify(input) });
    reader.push({ type: "block.end" });
  });
  const stopReason = calls.length > 0 ? "tool_use" : "end_turn";
  reader.push({ type: "finished", stopReason, usage: NO_USAGE });
  return reader.take();
}

/** Whether an event of a request is its last one. */
export const endsRequest = (event: Untimed<Judged>): boolean =>
  event.type === "llm.finished" ||
  event.type === "llm.failed" ||
  (event.type === "response.judged" && event.withheld !== undefined);
