import { Scenario } from "../scenario.ts";
import {
  approved,
  asked,
  commandInBackground,
  commandRuns,
  completed,
  type NamedScenario,
  question,
  write,
} from "./setups.ts";

export const CRASHES: readonly NamedScenario[] = [
  [
    "crash-text",
    "a crash while text streams: the row is closed as far as it was recorded",
    () => new Scenario().begun().says("Let me").crashes().answers("yes").prepared(),
  ],
  [
    "crash-approval",
    "a crash while a person is asked withdraws the ask; the call was interrupted",
    () => asked(write).crashes().answers("yes").prepared(),
  ],
  [
    "crash-tool",
    "a crash while an effect runs: it is uncertain, and user and model are told in the same words",
    () => approved().crashes().answers("yes").prepared(),
  ],
  [
    "crash-tool-ended",
    "a recorded end is the result, also where the task never heard of it",
    () => {
      const scenario = approved();
      const content = [{ type: "text", text: "saved" }] as const;
      return scenario
        .crashes({ ends: [{ callId: scenario.callId, content }] })
        .answers("yes")
        .prepared();
    },
  ],
  [
    "crash-command",
    "a crash while a command runs",
    () => commandRuns().crashes().answers("text", "is it still there?").prepared(),
  ],
  [
    "crash-background",
    "a command in the background ends with the process: both are told",
    () => commandInBackground().crashes().answers("yes").prepared(),
  ],
  [
    "crash-cancelled",
    "a cancelled task that is opened again asks with the same row",
    () => asked(write).cancelled().crashes().answers("yes").prepared(),
  ],
  [
    "crash-retrying",
    "a task that was waiting for the endpoint waits on",
    () => {
      const scenario = new Scenario()
        .begun()
        .fails({ retryable: true, retryAfterMs: 90_000 })
        .crashes()
        .answers("yes");
      return scenario.retries().prepared();
    },
  ],
  [
    "crash-completed",
    "a completed task that is opened again stays completed and takes feedback",
    () => completed().answers("yes").crashes().answers("text", "one more thing").prepared(),
  ],
  [
    "crash-twice",
    "a crash after a crash changes nothing more",
    () => approved().crashes().crashes().answers("yes").prepared(),
  ],
  [
    "crash-question",
    "a crash while a question waits withdraws it; the model is told that the call was interrupted",
    () => asked(question).crashes().answers("text", "the second").prepared(),
  ],
  [
    "crash-completing",
    "a crash while a completion is offered: it takes feedback and is not completed again",
    () => completed().crashes().answers("text", "not yet").prepared(),
  ],
  [
    "crash-between",
    "a crash between two calls of an answer keeps the result of the one that ran",
    () => {
      const scenario = new Scenario().begun().calls(write).calls({ name: "apply_diff" }).finishes();
      return scenario.answers("yes").toolEnds("one").crashes().answers("yes").prepared();
    },
  ],
];
