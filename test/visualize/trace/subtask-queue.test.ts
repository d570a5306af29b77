import { describe, expect, it } from "vitest";
import { SubtaskQueue } from "../../../visualize/trace/subtask-queue.ts";
import { commit } from "../../page/panes/trace.ts";

/** A record in which a task waits for these subtasks. */
const starts = (...children: readonly string[]) =>
  commit(1, {
    calls: children.map((childId) => ({
      ...{ callId: childId, toolUseId: "t", name: "new_task", ask: "tool" },
      ...{ phase: "delegated", input: {}, childId },
    })),
  });

describe("the queue of subtasks to read", () => {
  it("gives each subtask once, a task before its subtasks, also if journals name each other", () => {
    const queue = new SubtaskQueue("root");
    queue.note(starts("a", "root", "b"));
    expect(queue.next()).toBe("a");
    queue.notePast(starts("a.1", "b", "root"));
    expect([queue.next(), queue.next(), queue.next()]).toEqual(["b", "a.1", undefined]);
    queue.notePast(starts("a", "a.1"));
    expect(queue.next()).toBeUndefined();
    expect(queue.omitted).toBeUndefined();
  });

  it("counts past events only: what happens later omits no subtask (L14)", () => {
    const queue = new SubtaskQueue("root", { traces: 10, events: 2 });
    queue.note(starts("a", "b", "c"));
    expect(queue.next()).toBe("a");
    for (let event = 0; event < 5; event += 1) queue.note(commit(2));
    queue.notePast(commit(2));
    expect(queue.next()).toBe("b");
    queue.notePast(commit(2));
    expect(queue.next()).toBeUndefined();
    expect(queue.omitted).toEqual({ count: 1, limit: "events", max: 2 });
  });
});
