import { Scenario } from "../scenario.ts";
import {
  approved,
  asked,
  commandInBackground,
  commandRuns,
  completed,
  list,
  type NamedScenario,
  question,
  read,
  subtask,
  write,
} from "./setups.ts";

export const CANCELS: readonly NamedScenario[] = [
  [
    "cancel-preparing",
    "a cancel before the answer closes the request",
    () =>
      new Scenario()
        .send({ type: "task.start", text: "go", images: [] })
        .send({ type: "task.opened" })
        .cancelled(),
  ],
  [
    "cancel-text",
    "a cancel while text streams keeps the words; a second cancel changes nothing",
    () => new Scenario().begun().says("Let me").cancelled().cancelled(),
  ],
  [
    "cancel-arguments",
    "a cancel while arguments stream withdraws the partial ask",
    () => {
      const scenario = new Scenario().begun();
      scenario.startsCall(write);
      return scenario.cancelled();
    },
  ],
  ["cancel-approval", "a cancel withdraws the ask that waits", () => asked(write).cancelled()],
  [
    "cancel-tool",
    "a cancelled effect is uncertain when the task is resumed",
    () => approved().cancelled().answers("yes").prepared(),
  ],
  [
    "cancel-command",
    "a cancel ends a command, and what it says later changes nothing",
    () => commandRuns().cancelled().send({ type: "tool.finished", callId: "110/tu1", content: [] }),
  ],
  [
    "cancel-retry",
    "a cancel ends the wait for the next attempt",
    () => new Scenario().begun().fails({ retryable: true }).cancelled(),
  ],
  [
    "resume-with-words",
    "words to the resume ask are feedback, and the task goes on",
    () => asked(write).cancelled().answers("no").answers("text", "go on, but slower").prepared(),
  ],
  [
    "cancel-waiting",
    "a cancel before the first word ends the request; no empty row is left",
    () => new Scenario().begun().cancelled().answers("yes"),
  ],
  [
    "cancel-reads",
    "a cancel while reads run beside the stream ends both",
    () =>
      new Scenario().begun().calls(read).calls(list).toolEnds("one").cancelled().answers("yes").prepared(),
  ],
  [
    "cancel-question",
    "a cancel withdraws a question",
    () => asked(question).cancelled().answers("yes").prepared(),
  ],
  [
    "cancel-between",
    "a cancel between two calls of an answer keeps the result of the one that ran",
    () => {
      const scenario = new Scenario().begun().calls(write).calls({ name: "apply_diff" }).finishes();
      return scenario.answers("yes").toolEnds("one").cancelled().answers("yes").prepared();
    },
  ],
  ["cancel-completion", "a cancel leaves a completion's ask as it is", () => completed().cancelled()],
  [
    "cancel-failed",
    "a cancel leaves the ask about a failed request as it is",
    () => new Scenario().begun().fails({ retryable: false }).cancelled(),
  ],
  [
    "cancel-background",
    "a cancel ends the commands in the background, also of a task that runs on",
    () => commandInBackground().says("Meanwhile").cancelled().answers("yes").prepared(),
  ],
  [
    "cancel-subtask-ask",
    "a cancel while a person is asked about a subtask begins none",
    () => asked(subtask).cancelled().answers("yes").prepared(),
  ],
];
