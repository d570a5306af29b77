import { amendments } from "./amendments.ts";
import { asks } from "./asks.ts";
import { backgroundCommands } from "./background-commands.ts";
import { checkpoints } from "./checkpoints.ts";
import { choices } from "./choices.ts";
import { completion } from "./completion.ts";
import { condensing } from "./condensing.ts";
import { control } from "./control.ts";
import { crashes } from "./crashes.ts";
import { elicitation } from "./elicitation.ts";
import { expiry } from "./expiry.ts";
import { fallbacks } from "./fallbacks.ts";
import type { Feature } from "./feature.ts";
import { hooks } from "./hooks.ts";
import { images } from "./images.ts";
import { intents } from "./intents.ts";
import { interruptions } from "./interruptions.ts";
import { lateCalls } from "./late-calls.ts";
import { modes } from "./modes.ts";
import { opaque } from "./opaque.ts";
import { pauses } from "./pauses.ts";
import { permissions } from "./permissions.ts";
import { policies } from "./policies.ts";
import { preparation } from "./preparation.ts";
import { profiles } from "./profiles.ts";
import { queue } from "./queue.ts";
import { repetitions } from "./repetitions.ts";
import { requests } from "./requests.ts";
import { responses } from "./responses.ts";
import { reviews } from "./reviews.ts";
import { runningTools } from "./running-tools.ts";
import { start } from "./start.ts";
import { subtasks } from "./subtasks.ts";
import { timers } from "./timers.ts";
import { toolCalls } from "./tool-calls.ts";
import { wakeUps } from "./wake-ups.ts";

/**
 * All features, each in a file of its name. Their order is the order of the events in a state: it decides which of several shortest paths an
 * exploration finds first.
 */
export const FEATURES: readonly Feature[] = [
  start,
  modes,
  permissions,
  profiles,
  fallbacks,
  completion,
  queue,
  interruptions,
  pauses,
  wakeUps,
  crashes,
  asks,
  choices,
  amendments,
  elicitation,
  expiry,
  preparation,
  requests,
  responses,
  condensing,
  images,
  opaque,
  toolCalls,
  lateCalls,
  runningTools,
  reviews,
  intents,
  repetitions,
  policies,
  backgroundCommands,
  hooks,
  control,
  checkpoints,
  subtasks,
  timers,
];
