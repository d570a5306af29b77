import { Scenario } from "../scenario.ts";
import { asked, delegated, type NamedScenario, subtask, write } from "./setups.ts";

export const SUBTASKS: readonly NamedScenario[] = [
  [
    "subtask-completed",
    "a subtask's result is the call's, once",
    () => delegated().subtaskEnds({ kind: "finished", result: "All 12 tests pass." }).prepared(),
  ],
  [
    "subtask-cancelled",
    "a subtask that somebody cancels is told so to its parent, which goes on",
    () => delegated().subtaskEnds({ kind: "cancelled" }).prepared(),
  ],
  [
    "subtask-failed",
    "a subtask that can't go on is a failed call",
    () => delegated().subtaskEnds({ kind: "failed", message: "its journal could not be written" }).prepared(),
  ],
  [
    "subtask-last",
    "what stands behind a subtask in its answer is skipped",
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
    "a cancel of the parent ends the subtask",
    () => delegated().cancelled().answers("yes").prepared(),
  ],
  [
    "subtask-crash-ended",
    "a subtask that had ended before the crash of both is settled as the parent is opened",
    () => {
      const scenario = delegated();
      const childEnds = [[scenario.callId, { kind: "finished", result: "All 12 tests pass." }]] as const;
      return scenario.crashes({ childEnds }).answers("yes").prepared();
    },
  ],
  [
    "subtask-crash-unfinished",
    "a subtask that had not ended goes on as the same child",
    () =>
      delegated()
        .crashes()
        .answers("yes")
        .subtaskEnds({ kind: "finished", result: "All 12 tests pass." })
        .prepared(),
  ],
  [
    "subtask-approved-with-words",
    "words beside the yes to a subtask go before its result",
    () =>
      asked(subtask).answers("yes", "be brief").subtaskEnds({ kind: "finished", result: "Done." }).prepared(),
  ],
];
