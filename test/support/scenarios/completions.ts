import { Scenario } from "../scenario.ts";
import { completed, completion, type NamedScenario, write } from "./setups.ts";

export const COMPLETIONS: readonly NamedScenario[] = [
  [
    "completion-yes",
    "an accepted completion rests, completed once, and may still be replied to",
    () => completed().answers("yes").answers("yes").answers("text", "one more thing").prepared(),
  ],
  ["completion-no", "a declined completion stays idle", () => completed().answers("no")],
  [
    "completion-feedback",
    "words to a completion are feedback, and the task goes on",
    () => completed().answers("text", "not yet").prepared(),
  ],
  [
    "completion-queue",
    "what waits in the queue is feedback instead of a completion's ask",
    () => new Scenario().begun().queues("also the docs").calls(completion).finishes().prepared(),
  ],
  [
    "completion-after-failure",
    "a completion in one answer with a failed call is sent back",
    () =>
      new Scenario().begun().calls(write).calls(completion).finishes().answers("yes").toolFails().prepared(),
  ],
];
