import { answers } from "./answers.ts";
import { bounds } from "./bounds.ts";
import { budget } from "./budget.ts";
import { cancel } from "./cancel.ts";
import { capability } from "./capability.ts";
import { checkpoint } from "./checkpoint.ts";
import { compact } from "./compact.ts";
import { control } from "./control.ts";
import { derivation } from "./derivation.ts";
import { durability } from "./durability.ts";
import { feedback } from "./feedback.ts";
import { gate, plan } from "./gate.ts";
import { hooks } from "./hooks.ts";
import { identity } from "./identity.ts";
import { intent } from "./intent.ts";
import { join } from "./join.ts";
import type { Law } from "./law.ts";
import { ledger } from "./ledger.ts";
import { loopGuards } from "./loop-guards.ts";
import { model } from "./model.ts";
import { noRepeat } from "./no-repeat.ts";
import { one } from "./one.ts";
import { oneAsk } from "./one-ask.ts";
import { opaque } from "./opaque.ts";
import { order } from "./order.ts";
import { pairing } from "./pairing.ts";
import { partial } from "./partial.ts";
import { passive } from "./passive.ts";
import { pause } from "./pause.ts";
import { queue } from "./queue.ts";
import { rateLimit } from "./rate-limit.ts";
import { recovery } from "./recovery.ts";
import { replica } from "./replica.ts";
import { request } from "./request.ts";
import { settling } from "./settling.ts";
import { staleEvents } from "./stale-events.ts";
import { subtasks } from "./subtasks.ts";
import { wake } from "./wake.ts";

/** All laws of one macrostep. L13 is a property of the state graph: an exploration checks it. */
export const ALL_LAWS: readonly Law[] = [
  derivation,
  replica,
  partial,
  request,
  identity,
  pairing,
  capability,
  feedback,
  gate,
  hooks,
  control,
  plan,
  one,
  intent,
  ledger,
  oneAsk,
  answers,
  staleEvents,
  cancel,
  settling,
  durability,
  recovery,
  noRepeat,
  bounds,
  loopGuards,
  rateLimit,
  subtasks,
  join,
  budget,
  order,
  queue,
  opaque,
  model,
  compact,
  checkpoint,
  passive,
  pause,
  wake,
];
