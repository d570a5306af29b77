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

/** Each is a file under test/traces: what happened, what it brought about, and the state it led to. */
export const SCENARIOS: readonly Scenario[] = [
  ...CALLS,
  ...COMMANDS,
  ...COMPLETIONS,
  ...REQUESTS,
  ...CANCELS,
  ...CHECKPOINTS,
  ...SUBTASKS,
  ...CRASHES,
  ...WORDS,
  ...STREAMS,
  ...EFFECTS,
];
