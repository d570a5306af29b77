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
    "after a crash while text streams, the message is closed with the recorded text",
    () => new Scenario().begun().says("Let me").crashes().answers("yes").prepared(),
  ],
  [
    "crash-approval",
    "a crash during an approval withdraws the ask; the call is interrupted",
    () => asked(write).crashes().answers("yes").prepared(),
  ],
  [
    "crash-tool",
    "after a crash while an effect runs, it is uncertain; user and model get the same text",
    () => approved().crashes().answers("yes").prepared(),
  ],
  [
    "crash-tool-ended",
    "a recorded end is the result, even when the task never received it",
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
    "a command that runs during a crash is uncertain",
    () => commandRuns().crashes().answers("text", "is it still there?").prepared(),
  ],
  [
    "crash-background",
    "a background command ends with the process, and user and model are notified",
    () => commandInBackground().crashes().answers("yes").prepared(),
  ],
  [
    "crash-cancelled",
    "a reopened cancelled task asks with the same message",
    () => asked(write).cancelled().crashes().answers("yes").prepared(),
  ],
  [
    "crash-retrying",
    "a task that waited for a retry continues to wait after a crash",
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
    "a reopened completed task stays completed and accepts feedback",
    () => completed().answers("yes").crashes().answers("text", "one more thing").prepared(),
  ],
  [
    "crash-twice",
    "a second crash changes nothing",
    () => approved().crashes().crashes().answers("yes").prepared(),
  ],
  [
    "crash-question",
    "a crash withdraws an open question; the model is notified that the call was interrupted",
    () => asked(question).crashes().answers("text", "the second").prepared(),
  ],
  [
    "crash-completing",
    "after a crash an open completion accepts feedback and is not completed again",
    () => completed().crashes().answers("text", "not yet").prepared(),
  ],
  [
    "crash-between",
    "a crash between two calls of a response keeps the result of the call that ran",
    () => {
      const scenario = new Scenario().begun().calls(write).calls({ name: "apply_diff" }).finishes();
      return scenario.answers("yes").toolEnds("one").crashes().answers("yes").prepared();
    },
  ],
];
