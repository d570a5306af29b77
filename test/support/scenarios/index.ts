import { CALLS } from "./calls.ts";
import { CANCELS } from "./cancels.ts";
import { CHECKPOINTS } from "./checkpoints.ts";
import { COMMANDS } from "./commands.ts";
import { COMPLETIONS } from "./completions.ts";
import { CRASHES } from "./crashes.ts";
import { EFFECTS } from "./effects.ts";
import { REQUESTS } from "./requests.ts";
import type { NamedScenario } from "./setups.ts";
import { STREAMS } from "./streams.ts";
import { SUBTASKS } from "./subtasks.ts";
import { USER_INPUT } from "./user-input.ts";

export { asked, command, commandRuns, completed, type NamedScenario, question, write } from "./setups.ts";

/** The scenarios by topic. Each topic is a file under test/traces. */
export const TOPICS: Readonly<Record<string, readonly NamedScenario[]>> = {
  calls: CALLS,
  commands: COMMANDS,
  completions: COMPLETIONS,
  requests: REQUESTS,
  cancels: CANCELS,
  checkpoints: CHECKPOINTS,
  subtasks: SUBTASKS,
  crashes: CRASHES,
  "user-input": USER_INPUT,
  streams: STREAMS,
  effects: EFFECTS,
};

export const SCENARIOS: readonly NamedScenario[] = Object.values(TOPICS).flat();
