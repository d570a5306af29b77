import { checkedDecision } from "../../control/checked-verdict.ts";
import { ControlError } from "../../control/error.ts";
import type { Protocol } from "../../control/protocol.ts";
import type { Decision } from "../../control/verdict.ts";
import type { ControlPoint, Json } from "../../machines/tool-call/control.ts";
import { messageOf } from "../../tools/error.ts";
import { labelOf } from "./plots/label.ts";

/**
 * A protocol whose judges throw a {@link ControlError} `VERDICT_INVALID` that names the protocol and the point, where they throw
 * anything or return no verdict of their point. A module may have a protocol of another copy of the package, or a plain object.
 */
export function namingJudges(protocol: Protocol): Protocol {
  const { judgeResponse, judgeCall, judgeResult } = protocol;
  const name = labelOf(protocol.name);
  const naming =
    <Args extends readonly unknown[], Judged extends Decision<unknown, Json>>(
      point: ControlPoint,
      judge: (...given: Args) => Judged,
    ) =>
    (...given: Args): Judged => {
      try {
        const judged = judge(...given);
        checkedDecision(name, point, judged);
        return judged;
      } catch (error) {
        throw new ControlError("VERDICT_INVALID", textOf(name, point, error));
      }
    };
  return {
    ...protocol,
    ...(judgeResponse && { judgeResponse: naming("response", judgeResponse) }),
    ...(judgeCall && { judgeCall: naming("call", judgeCall) }),
    ...(judgeResult && { judgeResult: naming("result", judgeResult) }),
  };
}

/** An error about a verdict that is not valid already says all. */
function textOf(name: string, point: ControlPoint, error: unknown): string {
  const message = labelOf(messageOf(error));
  if (error instanceof Error && "code" in error && error.code === "VERDICT_INVALID") return message;
  const cause = message.replace(/\.$/, "");
  return `Protocol "${name}" at a ${point}: expected a decision, got the error: ${cause}. Correct its judge.`;
}
