import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import type { ElicitationAnswer, ElicitationRequest } from "../../machines/message/elicitation.ts";
import { ToolError } from "../../tools/error.ts";
import { elicitationSchema } from "../../wire/elicitation.ts";

/** A call that runs and may ask a person. */
export interface RunningCall {
  /** Who asks. */
  readonly from: string;
  elicit(request: ElicitationRequest): Promise<ElicitationAnswer>;
  /** Stop the deadlines of the call, until the returned function starts them again. */
  pause(): () => void;
}

/** The calls of a connection that may ask a person. */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>();

  /** Add a call until the returned function is called. */
  add(call: RunningCall): () => void {
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }

  /**
   * Ask the person of the call that runs. A request of a server names no call: where several run, nobody is asked.
   *
   * @throws ToolError `ARGUMENTS_INVALID` for a request that is not valid
   */
  async elicit(params: ElicitRequestParams): Promise<ElicitResult> {
    const [call, ...others] = this.#calls;
    if (call === undefined || others.length > 0) return { action: "cancel" };
    const request = elicitationSchema.safeParse({ mode: "form", ...params, from: call.from });
    if (!request.success)
      throw new ToolError(
        "ARGUMENTS_INVALID",
        "Expected a flat form or an http(s) address, as MCP defines them.",
      );
    const resume = call.pause();
    try {
      return resultOf(await call.elicit(request.data));
    } finally {
      // A call that ended in the meantime has no deadlines.
      if (this.#calls.has(call)) resume();
    }
  }
}

function resultOf(answer: ElicitationAnswer): ElicitResult {
  if (answer.action !== "accept") return answer;
  const fields = Object.entries(answer.content ?? {});
  const content = fields.map(
    ([name, value]) => [name, typeof value === "object" ? [...value] : value] as const,
  );
  return { action: "accept", content: Object.fromEntries(content) };
}
