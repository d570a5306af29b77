import { Scenario } from "../scenario.ts";
import { asked, delegated, type NamedScenario, subtask, write } from "./setups.ts";

export const SUBTASKS: readonly NamedScenario[] = [
  [
    "subtask-completed",
    "a subtask's result is the result of its call, once",
    () => delegated().subtaskEnds({ kind: "finished", result: "All 12 tests pass." }).prepared(),
  ],
  [
    "subtask-cancelled",
    "a cancelled subtask is reported to its parent, which continues",
    () => delegated().subtaskEnds({ kind: "cancelled" }).prepared(),
  ],
  [
    "subtask-failed",
    "a failed subtask is a failed call",
    () => delegated().subtaskEnds({ kind: "failed", message: "its journal could not be written" }).prepared(),
  ],
  [
    "subtask-last",
    "calls after a subtask in the same response are skipped",
    () =>
      new Scenario()
        .begun()
        .calls(subtask)
        .calls(write)
        .finishes()
        .answers("yes")
        .subtaskEnds({ kind: "finished", result: "It is done." })
        .prepared(),
  ],
  [
    "subtask-parent-cancelled",
    "a cancel of the parent cancels the subtask",
    () => delegated().cancelled().answers("yes").prepared(),
  ],
  [
    "subtask-crash-ended",
    "a subtask that ended before the crash is settled when its parent is reopened",
    () => {
      const scenario = delegated();
      const childEnds = [[scenario.callId, { kind: "finished", result: "All 12 tests pass." }]] as const;
      return scenario.crashes({ childEnds }).answers("yes").prepared();
    },
  ],
  [
    "subtask-crash-unfinished",
    "an unfinished subtask continues as the same child",
    () =>
      delegated()
        .crashes()
        .answers("yes")
        .subtaskEnds({ kind: "finished", result: "All 12 tests pass." })
        .prepared(),
  ],
  [
    "subtask-grant",
    "a subtask gets a share of the budget, and gives the rest back when it completes",
    () =>
      asked(subtask, { budget: { from: "user", grant: { requests: 10, tasks: 2, cost: 1 } } })
        .answers("yes")
        .subtaskEnds({ kind: "finished", result: "Done.", rest: { requests: 3, tasks: 0, cost: 0.25 } })
        .prepared(),
  ],
  [
    "subtask-refused",
    "a subtask that the budget does not allow is refused before anybody is asked",
    () => asked(subtask, { budget: { from: "user", grant: { tasks: 0 } } }).prepared(),
  ],
  [
    "subtask-approved-with-words",
    "text with the yes to a subtask precedes its result",
    () =>
      asked(subtask).answers("yes", "be brief").subtaskEnds({ kind: "finished", result: "Done." }).prepared(),
  ],
];
