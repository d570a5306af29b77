import fc from "fast-check";
import type { EffectEvent, TaskEmitted } from "../../../machines/task/index.ts";
import type { RecordedCommit } from "../../../verify/monitor/index.ts";
import { choice, pathEventFor } from "../../support/random-events.ts";
import { TaskRun } from "../../support/task-run.ts";

export interface RecordedLife {
  readonly run: TaskRun;
  readonly commits: readonly RecordedCommit[];
}

const isLogEvent = (piece: TaskEmitted) =>
  piece.type.startsWith("message.") || piece.type.startsWith("log.") ? [piece] : [];

/** A random life of the shipped machine, without ends of its process, commit by commit. */
export const life: fc.Arbitrary<RecordedLife> = fc
  .array(choice, { minLength: 60, maxLength: 120 })
  .map((choices) => {
    const run = new TaskRun();
    const commits: RecordedCommit[] = [];
    let pieces: TaskEmitted[] = [];
    run.actor.on("*", (piece) => pieces.push(piece));
    run.send({ type: "task.start", at: 1, text: "go", images: [] });
    run.send({ type: "task.opened", at: 2 });
    const begun = pieces.flatMap(isLogEvent) as RecordedCommit["log"];
    commits.push({ log: begun, after: run.view.state });
    pieces = [];
    choices.forEach((one, step) => {
      run.play(pathEventFor(run.view, { ...one, kind: 20 + (one.kind % 50) }, step));
      const log = pieces.flatMap(isLogEvent) as RecordedCommit["log"];
      const conversation = pieces.flatMap((piece) =>
        piece.type === "entry.appended" || piece.type === "entry.extended" ? [piece] : [],
      );
      const effects = pieces.flatMap((piece): EffectEvent[] =>
        piece.type === "effect.started" || piece.type === "effect.stopped" ? [piece] : [],
      );
      if (pieces.length > 0) commits.push({ log, conversation, effects, after: run.view.state });
      pieces = [];
    });
    return { run, commits };
  });
