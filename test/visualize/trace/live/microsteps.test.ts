import { expect, test } from "vitest";
import { createActor } from "xstate";
import { taskMachine } from "../../../../machines/task/task.machine.ts";
import { MicrostepCollector } from "../../../../visualize/trace/live/microsteps.ts";
import { silentActors } from "../../../support/silent-actors.ts";

test("a macrostep is found by its snapshot once, however many followed; those before are dropped", () => {
  const actor = createActor(taskMachine.provide({ actors: silentActors }), {
    input: { taskId: "t", limits: { queued: 400 } },
  });
  const collector = new MicrostepCollector();
  actor.system.inspect(collector.observe);
  actor.start();
  actor.send({ type: "task.start", at: 1, text: "go", images: [] });
  const snapshots = Array.from({ length: 300 }, (_, at) => {
    actor.send({ type: "queue.added", at, item: { id: `q${at}`, text: "more", images: [] } });
    return actor.getSnapshot();
  });
  const eventsOf = (at: number) => collector.of(snapshots[at] ?? {})?.microsteps.map(({ event }) => event);
  expect(eventsOf(199)).toEqual(["queue.added"]);
  expect(eventsOf(199)).toBeUndefined();
  expect(eventsOf(100)).toBeUndefined();
  expect(eventsOf(200)).toEqual(["queue.added"]);
  expect(eventsOf(299)).toEqual(["queue.added"]);
  expect(collector.of({})).toBeUndefined();
});

test("all microsteps of a macrostep are found by its last snapshot", () => {
  const actor = createActor(taskMachine.provide({ actors: silentActors }), { input: { taskId: "t" } });
  const collector = new MicrostepCollector();
  actor.start();
  actor.send({ type: "task.start", at: 1, text: "go", images: [] });
  actor.system.inspect(collector.observe);
  actor.send({ type: "task.cancel", origin: "user", at: 2 });
  const steps = collector.of(actor.getSnapshot())?.microsteps;
  expect(steps?.[0]?.event).toBe("task.cancel");
  expect(steps?.at(-1)?.transitions.length).toBeGreaterThan(0);
});
