import { describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { builtinTools, type Tool } from "../../../tools/index.ts";

const included = builtinTools({ include: ["schedule_wakeup", "cancel_wakeup"] });
const toolOf = (name: string): Tool => {
  const tool = included.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`Expected a tool ${name}.`);
  return tool;
};
const schedule = toolOf("schedule_wakeup");
const cancel = toolOf("cancel_wakeup");

function prepared(tool: Tool, input: Readonly<Record<string, unknown>>) {
  const preparation = tool.prepare(input);
  if (!preparation.ok) throw new Error(preparation.error);
  return preparation.call;
}
const describedBy = async (tool: Tool, input: Readonly<Record<string, unknown>>) =>
  JSON.parse((await prepared(tool, input).describe({ workspace: await openWorkspace(".") })).text);

describe.each(["schedule_wakeup", "cancel_wakeup"])("%s", (name) => {
  test("is a tool of every mode with a tool ask and without an effect, for tasks that have wake-ups", () => {
    expect(toolOf(name)).toMatchObject({ group: "always", effect: "none", ask: "tool", requires: "wakeUps" });
  });

  test("is a built-in tool only if it is included", () => {
    expect(builtinTools().map((tool) => tool.name)).not.toContain(name);
  });

  test("never runs: the task applies the call", async () => {
    const call = prepared(toolOf(name), { message: "Look.", after_minutes: 1 });
    await expect(async () => call.execute({} as never)).rejects.toThrow("applied by the task");
  });
});

describe("schedule_wakeup", () => {
  test.each([
    [{ at: "2026-01-31T09:00:00+01:00" }, { at: Date.UTC(2026, 0, 31, 8) }],
    [{ after_minutes: 1.5 }, { afterMs: 90_000 }],
    [{ every_minutes: 60 }, { everyMs: 3_600_000 }],
    [
      { at: "2026-01-31T09:00:00Z", every_minutes: 60 },
      { at: Date.UTC(2026, 0, 31, 9), everyMs: 3_600_000 },
    ],
    [
      { after_minutes: 5, every_minutes: 60, at: null },
      { afterMs: 300_000, everyMs: 3_600_000 },
    ],
  ])("changes the wake-ups by the arguments %j", (times, expected) => {
    expect(prepared(schedule, { message: "Look.", ...times }).changesWakeUps).toEqual({
      kind: "schedule",
      message: "Look.",
      ...expected,
    });
  });

  test.each([
    [{ message: "Look." }, "expected at, after_minutes or every_minutes"],
    [{ message: "Look.", at: "2026-01-31T09:00:00Z", after_minutes: 1 }, "got both"],
    [{ message: "Look.", at: "tomorrow" }, "expected a time such as 2026-01-31T09:00:00Z"],
    [{ message: "Look.", after_minutes: 0 }, "after_minutes"],
    [{ message: "", after_minutes: 1 }, "message"],
    [{ after_minutes: 1 }, "message"],
  ])("refuses the arguments %j", (input, error) => {
    const preparation = schedule.prepare(input);
    expect(preparation.ok ? "" : preparation.error).toContain(error);
  });

  test("is described with its message and its times, and shown with its message while it streams", async () => {
    expect(await describedBy(schedule, { message: "Look.", after_minutes: 5, every_minutes: null })).toEqual({
      tool: "scheduleWakeUp",
      message: "Look.",
      afterMinutes: 5,
    });
    expect(schedule.partial({ message: "Lo" })).toBe('{"tool":"scheduleWakeUp","message":"Lo"}');
    expect(schedule.partial({ after_minutes: 5 })).toBeUndefined();
  });
});

describe("cancel_wakeup", () => {
  test("cancels one by its id, or all", async () => {
    expect(prepared(cancel, { id: "1" }).changesWakeUps).toEqual({ kind: "cancel", id: "1" });
    expect(prepared(cancel, { id: null }).changesWakeUps).toEqual({ kind: "cancel" });
    expect(await describedBy(cancel, { id: "1" })).toEqual({ tool: "cancelWakeUp", id: "1" });
    expect(cancel.partial({ id: "1" })).toBe('{"tool":"cancelWakeUp","id":"1"}');
    expect(cancel.partial({})).toBeUndefined();
  });
});
