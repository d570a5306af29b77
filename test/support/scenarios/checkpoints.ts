import { asked, command, type Scenario, subtask, write } from "./sketches.ts";

export const CHECKPOINTS: readonly Scenario[] = [
  [
    "checkpoint-saved",
    "the workspace is snapshotted before the first effect of a turn",
    () => asked(write, { checkpoints: true }).answers("yes").snapshotSaved("4f2a9c1").ends().prepared(),
  ],
  [
    "checkpoint-command",
    "a command waits for the snapshot like any other effect",
    () => asked(command, { checkpoints: true }).answers("yes").snapshotSaved("4f2a9c1").ends(),
  ],
  [
    "checkpoint-skipped",
    "without a snapshot the effect goes on, and the user is told why there is none",
    () =>
      asked(write, { checkpoints: true })
        .answers("yes")
        .snapshotSkipped("No snapshot: git isn't installed.")
        .ends(),
  ],
  [
    "checkpoint-subtask",
    "the workspace is snapshotted before a subtask begins",
    () => asked(subtask, { checkpoints: true }).answers("yes").snapshotSaved("4f2a9c1"),
  ],
  [
    "checkpoint-cancelled",
    "a cancel while the workspace is snapshotted: the effect never begins",
    () => asked(write, { checkpoints: true }).answers("yes").cancelled().answers("yes").prepared(),
  ],
];
