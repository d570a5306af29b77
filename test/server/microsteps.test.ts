import { expect, test, vi } from "vitest";
import { z } from "zod";
import { taskMachine } from "../../machines/task/task.machine.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import { machineTransitions } from "../../visualize/trace/transitions/transition-table.ts";
import { enters, isLive, Served, SseReader, tracesOf } from "./support.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

const without = (events: readonly TraceEvent[]): readonly TraceEvent[] =>
  events.map(({ microsteps: _microsteps, moves: _moves, next: _next, ...event }) => event);

test("a stream has microsteps if requested: of the events since then, shared with later streams, and of no others", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id } = await served.create("Change it");
  const task = served.host.tasks.get(id);
  const inspect = vi.spyOn(task ?? expect.fail(), "inspect");
  const where = `/api/tasks/${id}/events`;
  const plain = await SseReader.open(served, where);
  await plain.until(enters("waiting_for_input"));
  expect(inspect).not.toHaveBeenCalled();
  const asking = await SseReader.open(served, `${where}?microsteps=true`);
  const past = tracesOf(await asking.until(isLive));
  expect(past.filter(({ microsteps }) => microsteps !== undefined)).toEqual([]);
  // The moves of calls, and what is next, are known without XState's inspection.
  expect(past.flatMap(({ moves = [] }) => moves.map(({ to }) => to))).toEqual([
    "deciding",
    "decided",
    "asking",
  ]);
  expect(past.at(-1)?.next).toBe("Waits for call 1 (write_to_file), which needs an answer.");
  const [ask] = (await served.info(id)).asks;
  await served.post(`/api/tasks/${id}/asks/${ask?.askId}/answer`, { kind: "yes" });
  const stepped = tracesOf(await asking.until(enters("idle")));
  const unstepped = tracesOf(await plain.until(enters("idle")));
  const table = new Set(
    machineTransitions(taskMachine).map(({ state, event, guard, target }) =>
      [state, event, guard, target].join(),
    ),
  );
  for (const { record, microsteps = [] } of stepped) {
    if (record.kind !== "commit") continue;
    expect(microsteps[0]?.event).toBe(record.cause?.type);
    for (const { source, event, guard = "", targets } of microsteps.flatMap(({ transitions }) => transitions))
      expect(table).toContain([source, event === "" ? "always" : event, guard, targets.join(", ")].join());
  }
  expect(stepped.length).toBeGreaterThan(4);
  expect(unstepped.filter(({ microsteps }) => microsteps !== undefined)).toEqual([]);
  expect(unstepped.filter(({ moves, next }) => (moves ?? next) !== undefined)).toEqual([]);
  expect(without(stepped)).toEqual(unstepped);
  const again = await SseReader.open(served, `${where}?microsteps=true`);
  const all = tracesOf(await again.until(isLive));
  expect(all).toEqual([...past, ...stepped]);
  expect(inspect).toHaveBeenCalledTimes(1);
  for (const stream of [plain, asking, again]) stream.close();
});

test("a value other than true and false is rejected, and the description names both", async () => {
  await using served = await Served.open({ script: `[${DONE}]` });
  const response = await served.fetch("/api/tasks/t1/events?microsteps=yes");
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "PARAMETER_INVALID" });
  const Described = z.object({
    paths: z.record(
      z.string(),
      z.record(z.string(), z.object({ parameters: z.array(z.unknown()).optional() })),
    ),
  });
  const { paths } = Described.parse(await (await served.fetch("/api/openapi.json")).json());
  expect(paths["/api/tasks/{taskId}/events"]?.get?.parameters).toContainEqual({
    name: "microsteps",
    in: "query",
    required: false,
    schema: { type: "string", enum: ["true", "false"], default: "false" },
  });
});
