import { asked, command, type NamedScenario, subtask, write } from "./setups.ts";

export const CHECKPOINTS: readonly NamedScenario[] = [
  [
    "checkpoint-saved",
    "the workspace is snapshotted before the first effect of a turn",
    () => asked(write, { checkpoints: true }).answers("yes").snapshotSaved("4f2a9c1").toolEnds().prepared(),
  ],
  [
    "checkpoint-command",
    "a command waits for the snapshot like any other effect",
    () => asked(command, { checkpoints: true }).answers("yes").snapshotSaved("4f2a9c1").toolEnds(),
  ],
  [
    "checkpoint-skipped",
    "without a snapshot the effect still runs, and the user is notified of the reason",
    () =>
      asked(write, { checkpoints: true })
        .answers("yes")
        .snapshotSkipped("No snapshot: git isn't installed.")
        .toolEnds(),
  ],
  [
    "checkpoint-subtask",
    "the workspace is snapshotted before a subtask starts",
    () => asked(subtask, { checkpoints: true }).answers("yes").snapshotSaved("4f2a9c1"),
  ],
  [
    "checkpoint-cancelled",
    "after a cancel during the snapshot the effect never starts",
    () => asked(write, { checkpoints: true }).answers("yes").cancelled().answers("yes").prepared(),
  ],
];
