import { type Scores, validScore } from "../../control/monitor.ts";
import { monitorsAt, type Protocol } from "../../control/protocol.ts";
import type { RunDecision } from "../../control/runs/row.ts";

/** A protocol that records its decisions. */
export interface RecordedProtocol {
  readonly protocol: Protocol;
  /** In order. Grows while the protocol judges. */
  readonly decisions: readonly RunDecision[];
  /** The errors of judges that failed. In a task, each denies. */
  readonly failures: readonly unknown[];
}

/** Record the decisions of a protocol, after those that it made `before`. Its judges stay as they are. */
export function recordDecisions(protocol: Protocol, before: readonly RunDecision[] = []): RecordedProtocol {
  const decisions = [...before];
  const failures: unknown[] = [];
  const attempt = <Judged>(work: () => Judged): Judged => {
    try {
      return work();
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  const { judgeResponse, judgeCall, judgeResult } = protocol;
  const recorded =
    <Args extends Given, Judged extends Judgement>(
      point: RunDecision["point"],
      judge: (...given: Args) => Judged,
    ) =>
    (...given: Args): Judged => {
      const judged = attempt(() => judge(...given));
      const [{ author, digest }, scores] = given;
      const valid = monitorsAt(protocol.monitors, point).map((name) => [name, validScore(scores[name])]);
      const verdict = judged.verdict.kind;
      decisions.push({ point, author, scores: Object.fromEntries(valid), verdict, digest });
      return judged;
    };
  return {
    decisions,
    failures,
    protocol: {
      ...protocol,
      ...(judgeResponse && { judgeResponse: recorded("response", judgeResponse) }),
      ...(judgeCall && { judgeCall: recorded("call", judgeCall) }),
      ...(judgeResult && { judgeResult: recorded("result", judgeResult) }),
    },
  };
}

type Given = readonly [Pick<RunDecision, "author" | "digest">, Scores, ...(readonly unknown[])];
interface Judgement {
  readonly verdict: { readonly kind: RunDecision["verdict"] };
}
