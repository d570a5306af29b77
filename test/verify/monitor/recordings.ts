import fc from "fast-check";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { EffectEvent, TaskEmitted } from "../../../machines/task/task.events.ts";
import type { RecordedCommit } from "../../../verify/monitor/commits.ts";
import { choice, pathEventFor } from "../../support/random-events.ts";
import { TaskRun } from "../../support/task-run.ts";

export interface RecordedRun {
  readonly run: TaskRun;
  readonly commits: readonly RecordedCommit[];
}

const isLogEvent = (event: TaskEmitted) =>
  event.type.startsWith("message.") || event.type.startsWith("log.") ? [event] : [];

/** A random run of the shipped machine without crashes, commit by commit. */
export const recordedRun: fc.Arbitrary<RecordedRun> = fc
  .array(choice, { minLength: 60, maxLength: 120 })
  .map((choices) => {
    const run = new TaskRun();
    const commits: RecordedCommit[] = [];
    let events: TaskEmitted[] = [];
    run.actor.on("*", (event) => events.push(event));
    run.send({ type: "task.start", at: 1, text: "go", images: [] });
    run.send({ type: "task.opened", at: 2 });
    const begun = events.flatMap(isLogEvent) as RecordedCommit["log"];
    commits.push({ log: begun, after: run.view.state });
    events = [];
    choices.forEach((one, step) => {
      const cause = pathEventFor(run.view, { ...one, kind: 20 + (one.kind % 50) }, step);
      run.play(cause);
      const log = events.flatMap(isLogEvent) as readonly LogEvent[];
      const conversation = events.flatMap((event) =>
        event.type === "entry.appended" || event.type === "entry.extended" ? [event] : [],
      );
      const effects = events.flatMap((event): EffectEvent[] =>
        event.type === "effect.started" || event.type === "effect.stopped" ? [event] : [],
      );
      // An event that changes nothing leaves no record.
      const isCause = log.length + conversation.length + effects.length > 0;
      if (events.length > 0)
        commits.push({ ...(isCause && { cause }), log, conversation, effects, after: run.view.state });
      events = [];
    });
    return { run, commits };
  });
