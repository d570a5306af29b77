import { Scenario } from "../scenario.ts";
import { completed, completion, type NamedScenario, write } from "./setups.ts";

export const COMPLETIONS: readonly NamedScenario[] = [
  [
    "completion-yes",
    "an accepted completion is reported once and still accepts feedback",
    () => completed().answers("yes").answers("yes").answers("text", "one more thing").prepared(),
  ],
  ["completion-no", "a declined completion stays idle", () => completed().answers("no")],
  [
    "completion-feedback",
    "a text answer to a completion is feedback, and the task continues",
    () => completed().answers("text", "not yet").prepared(),
  ],
  [
    "completion-queue",
    "queued text replaces a completion's ask as feedback",
    () => new Scenario().begun().queues("also the docs").calls(completion).finishes().prepared(),
  ],
  [
    "completion-after-failure",
    "a completion in the same response as a failed call is rejected",
    () =>
      new Scenario().begun().calls(write).calls(completion).finishes().answers("yes").toolFails().prepared(),
  ],
];
