import { CALLS } from "./calls.ts";
import { CANCELS } from "./cancels.ts";
import { CHECKPOINTS } from "./checkpoints.ts";
import { COMMANDS } from "./commands.ts";
import { COMPLETIONS } from "./completions.ts";
import { CRASHES } from "./crashes.ts";
import { EFFECTS } from "./effects.ts";
import { REQUESTS } from "./requests.ts";
import type { Scenario } from "./sketches.ts";
import { STREAMS } from "./streams.ts";
import { SUBTASKS } from "./subtasks.ts";
import { WORDS } from "./words.ts";

export { asked, command, commandRuns, completed, question, type Scenario, write } from "./sketches.ts";

/** The scenarios by topic. Each topic is a file under test/traces. */
export const TOPICS: Readonly<Record<string, readonly Scenario[]>> = {
  calls: CALLS,
  commands: COMMANDS,
  completions: COMPLETIONS,
  requests: REQUESTS,
  cancels: CANCELS,
  checkpoints: CHECKPOINTS,
  subtasks: SUBTASKS,
  crashes: CRASHES,
  words: WORDS,
  streams: STREAMS,
  effects: EFFECTS,
};

export const SCENARIOS: readonly Scenario[] = Object.values(TOPICS).flat();
