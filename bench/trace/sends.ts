import { type AnyEventObject, createActor, fromCallback, type InspectionEvent } from "xstate";
import { taskMachine } from "../../machines/task/task.machine.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import { MicrostepCollector } from "../../visualize/trace/live/microsteps.ts";
import { stopwatch } from "../harness/index.ts";

interface Observer {
  readonly observe: (event: InspectionEvent) => void;
  /** Called for each commit. */
  readonly of: (snapshot: object) => unknown;
}

const OBSERVERS = {
  off: () => undefined,
  /** The cost of XState's own inspection. */
  empty: () => ({ observe: () => {}, of: () => undefined }),
  inspect: () => new MicrostepCollector(),
} satisfies Record<string, () => Observer | undefined>;

export type Observed = keyof typeof OBSERVERS;

const machine = taskMachine.provide({
  actors: { opening: silent<"opening">(), context: silent<"context">(), llm: silent<"llm">() },
});

function silent<K extends keyof ActorInputs>() {
  return fromCallback<AnyEventObject, ActorInputs[K]>(() => undefined);
}

/** Milliseconds of CPU for this many events of the most frequent kind, sent to a bare machine. */
export function cpuOfEvents(events: number, how: Observed): number {
  const actor = createActor(machine, { input: { taskId: "t1" } });
  actor.start();
  actor.send({ type: "task.start", at: 1, text: "Go.", images: [] });
  actor.send({ type: "task.opened", at: 2 });
  const { request: requestId = 0 } = actor.getSnapshot().context;
  actor.send({ type: "context.ready", at: 3, requestId, environment: "here", ends: [] });
  if (!actor.getSnapshot().matches({ streaming: "receiving" }))
    throw new Error("The task does not stream: the bench is broken.");
  const observer = OBSERVERS[how]();
  if (observer !== undefined) actor.system.inspect(observer.observe);
  const spent = stopwatch();
  for (let at = 4; at < events + 4; at += 1) {
    actor.send({ type: "llm.text.delta", at, requestId, index: 0, text: "word " });
    observer?.of(actor.getSnapshot());
  }
  return spent().cpuMs;
}
