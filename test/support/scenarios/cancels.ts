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
    "a cancel before the response closes the request",
    () =>
      new Scenario()
        .send({ type: "task.start", text: "go", images: [] })
        .send({ type: "task.opened" })
        .cancelled(),
  ],
  [
    "cancel-text",
    "a cancel while text streams keeps the text; a second cancel changes nothing",
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
  ["cancel-approval", "a cancel withdraws the open ask", () => asked(write).cancelled()],
  [
    "cancel-tool",
    "a cancelled effect is uncertain when the task is resumed",
    () => approved().cancelled().answers("yes").prepared(),
  ],
  [
    "cancel-command",
    "a cancel terminates a command, and its later output changes nothing",
    () => commandRuns().cancelled().send({ type: "tool.finished", callId: "110/tu1", content: [] }),
  ],
  [
    "cancel-retry",
    "a cancel ends the wait for the next attempt",
    () => new Scenario().begun().fails({ retryable: true }).cancelled(),
  ],
  [
    "resume-with-words",
    "a text answer to the resume ask is feedback, and the task continues",
    () => asked(write).cancelled().answers("no").answers("text", "go on, but slower").prepared(),
  ],
  [
    "cancel-waiting",
    "a cancel before the first text closes the request and leaves no empty message",
    () => new Scenario().begun().cancelled().answers("yes"),
  ],
  [
    "cancel-reads",
    "a cancel while reads run during the stream stops both",
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
    "a cancel between two calls of a response keeps the result of the call that ran",
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
    "a cancel terminates the background commands, also of a task that continues",
    () => commandInBackground().says("Meanwhile").cancelled().answers("yes").prepared(),
  ],
  [
    "cancel-subtask-ask",
    "a cancel while the user is asked about a subtask starts no subtask",
    () => asked(subtask).cancelled().answers("yes").prepared(),
  ],
];
