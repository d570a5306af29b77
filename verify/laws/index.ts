import { answers } from "./answers.ts";
import { bounds } from "./bounds.ts";
import { cancel } from "./cancel.ts";
import { capability } from "./capability.ts";
import { checkpoint } from "./checkpoint.ts";
import { derivation } from "./derivation.ts";
import { memory } from "./durability.ts";
import { identity } from "./identity.ts";
import type { Law } from "./law.ts";
import { noRepeat } from "./no-repeat.ts";
import { oneAsk } from "./one-ask.ts";
import { order } from "./order.ts";
import { pairing } from "./pairing.ts";
import { partial } from "./partial.ts";
import { queue } from "./queue.ts";
import { recovery } from "./recovery.ts";
import { replica } from "./replica.ts";
import { request } from "./request.ts";
import { rest } from "./settling.ts";
import { stale } from "./stale-events.ts";
import { family } from "./subtasks.ts";

export { actorsAfter } from "./changes.ts";
export { checkLaw, type Law, type Step, type View } from "./law.ts";
export { EMPTY_LOG_FACTS, logFactsAfter } from "./log-facts.ts";

/** Every law of one macrostep. L13 is a law of the whole graph: an exploration reports it. */
export const ALL_LAWS: readonly Law[] = [
  derivation,
  replica,
  partial,
  request,
  identity,
  pairing,
  capability,
  oneAsk,
  answers,
  stale,
  cancel,
  rest,
  memory,
  recovery,
  noRepeat,
  bounds,
  family,
  order,
  queue,
  checkpoint,
];
