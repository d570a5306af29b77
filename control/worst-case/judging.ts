import type { Author, Json } from "../../machines/tool-call/control.ts";
import { ControlError } from "../error.ts";
import type { Scores } from "../monitor.ts";
import type { Protocol } from "../protocol.ts";
import type { CallVerdict, Decision, ResponseVerdict, ResultVerdict } from "../verdict.ts";
import type { Chance, Draw } from "./draw.ts";
import type { Sample } from "./sample.ts";

/** A situation that a protocol judges, up to the classes of its scores. */
export interface Situation {
  readonly state: Json;
  readonly author: Author;
  readonly chance: Chance;
  readonly draw: Draw;
}

/** The decisions that one process may take. */
export const DECISIONS_MAX = 1_000_000;

/** The judges of a protocol over classes of scores. */
export class Judging {
  readonly #protocol: Protocol;
  #decisions = 0;

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  response(situation: Situation, samples: readonly Sample[]): Decision<ResponseVerdict, Json> | undefined {
    const { judgeResponse } = this.#protocol;
    return (
      judgeResponse &&
      this.#decide(situation, (end) => {
        const facts = { ...factsOf(situation, end), text: "", calls: [ACTION] };
        const scores = samples.map(({ draw }) => draw[end]);
        return judgeResponse({ ...facts, samples: scores }, situation.draw[end], situation.state);
      })
    );
  }

  call(situation: Situation): Decision<CallVerdict, Json> | undefined {
    const { judgeCall } = this.#protocol;
    return (
      judgeCall &&
      this.#decide(situation, (end) =>
        judgeCall({ ...factsOf(situation, end), ...ACTION }, situation.draw[end], situation.state),
      )
    );
  }

  result(situation: Situation): Decision<ResultVerdict, Json> | undefined {
    const { judgeResult } = this.#protocol;
    return (
      judgeResult &&
      this.#decide(situation, (end) =>
        judgeResult(
          { ...factsOf(situation, end), ...ACTION, result: "" },
          situation.draw[end],
          situation.state,
        ),
      )
    );
  }

  /** The decision, which is the same at both ends of the classes. @throws ControlError `CUT_MISSING` otherwise */
  #decide<Verdict>(
    { state, draw }: Situation,
    decide: (end: "low" | "high") => Decision<Verdict, Json>,
  ): Decision<Verdict, Json> {
    this.#decisions += 1;
    if (this.#decisions > DECISIONS_MAX)
      throw new ControlError(
        "PROCESS_LIMIT",
        `Expected at most ${DECISIONS_MAX} decisions of ${this.#protocol.name}, got more. Shorten the run, or use fewer classes or samples.`,
      );
    const [low, high] = [decide("low"), decide("high")];
    if (JSON.stringify(low) === JSON.stringify(high)) return low;
    throw new ControlError(
      "CUT_MISSING",
      `Expected one decision of ${this.#protocol.name} in state ${JSON.stringify(state)} for ${formatEnd(draw.low)} and for ${formatEnd(draw.high)}, got ${JSON.stringify(low)} and ${JSON.stringify(high)}. Add the score to the thresholds of the monitor, or the drawn number to the chances.`,
    );
  }
}

/** The call that a response proposes. A protocol whose verdict needs more facts has no worst case here. */
const ACTION = { tool: "action", input: {} };

const factsOf = ({ author, chance }: Situation, end: "low" | "high") => ({
  author,
  chance: chance[end],
  digest: "",
});

const formatEnd = (scores: Scores): string =>
  Object.entries(scores)
    .map(([monitor, score]) => `${monitor} ${score}`)
    .join(", ") || "each draw";
