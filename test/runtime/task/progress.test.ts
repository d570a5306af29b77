import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { TaskStreamEvent } from "../../../runtime/task/task-stream.ts";
import { allowEverything, defineTool, type RunPorts, type Tool } from "../../../tools/index.ts";
import { openRig } from "../../support/host.ts";
import { deferred, scripted } from "../../support/model.ts";

/** A tool that reports what the test says, with the call's id. */
function reporting(run: (ports: RunPorts, id: string) => Promise<void> | void): Tool {
  return defineTool({
    name: "report",
    description: "A test's tool.",
    inputSchema: z.object({ id: z.string() }),
    effect: "reads",
    execute: async ({ id }, ports) => {
      await run(ports, id);
      return `${id} done`;
    },
  });
}

const REPORT = (...ids: readonly string[]): string =>
  `[[${ids.map((id) => `{ tool: report, input: { id: ${id} } }`).join()}], { text: Done. }]`;
const policy = allowEverything();

describe("the status of a running tool call", () => {
  test("is shown at the call's message while it runs, is recorded, and stays (L11)", async () => {
    const { promise: isShown, resolve: shown } = deferred();
    const tool = reporting(async ({ progress }) => {
      progress({ icon: "sync", text: "1 of 2" });
      await isShown;
      progress({ icon: "sync", text: "2 of 2" });
    });
    await using rig = await openRig({ script: REPORT("a"), tools: [tool], policy });
    const statuses: unknown[] = [];
    rig.task.events$.subscribe(({ commit, snapshot }) => {
      if (commit.cause?.type !== "tool.progress") return;
      const { callId } = commit.cause;
      statuses.push(
        snapshot.context.log.toArray().find((one) => one.callId === callId && one.ask === "tool")
          ?.progressStatus,
      );
      shown();
    });
    await rig.task.run("Report");
    expect(statuses).toEqual([
      { icon: "sync", text: "1 of 2" },
      { icon: "sync", text: "2 of 2" },
    ]);
    // The rig compares the journal with the messages.
    expect(rig.task.log.toArray().filter((message) => message.progressStatus !== undefined)).toMatchObject([
      { ask: "tool", closing: "answered", progressStatus: { text: "2 of 2" } },
    ]);
  });

  test("is shown again when the task is opened from its journal (L11)", async () => {
    const tool = reporting(({ progress }) => progress({ text: "all" }));
    await using rig = await openRig({ script: REPORT("a"), tools: [tool], policy });
    await rig.task.run("Report");
    await rig.task.close();
    const again = await rig.host.open(rig.task.id, { model: scripted([]), tools: [tool] });
    expect(again.log.toArray().map(({ progressStatus }) => progressStatus?.text)).toContain("all");
  });

  test("belongs to its own call where several run", async () => {
    const tool = reporting(({ progress }, id) => progress({ text: `of ${id}` }));
    await using rig = await openRig({ script: REPORT("a", "b"), tools: [tool], policy });
    await rig.task.run("Report");
    const asks = rig.task.log.toArray().filter((message) => message.ask === "tool");
    expect(asks.map(({ progressStatus }) => progressStatus?.text)).toEqual(["of a", "of b"]);
  });

  test("is dropped if it is too long, or comes after the call's end (L14)", async () => {
    let ports: RunPorts | undefined;
    const tool = reporting((own) => {
      ports ??= own;
      own.progress({ text: "x".repeat(1_001) });
      own.progress({ icon: "x".repeat(65) });
    });
    await using rig = await openRig({ script: REPORT("a"), tools: [tool], policy });
    await rig.task.run("Report");
    ports?.progress({ text: "late" });
    await rig.host.closeAll();
    expect(rig.task.log.toArray().filter((message) => message.progressStatus !== undefined)).toEqual([]);
    expect(rig.shown.filter(({ commit }) => commit.cause?.type === "tool.progress")).toEqual([]);
  });

  test("is an event of the stream; a reader that is slow gets the newest", async () => {
    const { promise: isShown, resolve: shown } = deferred();
    const tool = reporting(async ({ progress }) => {
      progress({ text: "1 of 2" });
      await isShown;
      progress({ text: "2 of 2" });
    });
    await using rig = await openRig({ script: REPORT("a"), tools: [tool], policy });
    rig.task.events$.subscribe(({ commit }) => {
      if (commit.cause?.type === "tool.progress") shown();
    });
    const rested = rig.until(({ commit }) => commit.after.startsWith("idle"));
    const events: TaskStreamEvent[] = [];
    for await (const event of rig.task.stream("Report")) {
      if (event.type === "tool.started") await rested;
      if (event.type.startsWith("tool.")) events.push(event);
    }
    expect(events).toMatchObject([
      { type: "tool.started" },
      { type: "tool.progress", status: { text: "2 of 2" } },
      { type: "tool.finished" },
    ]);
  });

  test("reaches no model", async () => {
    const tool = reporting(({ progress }) => progress({ text: "between us" }));
    await using rig = await openRig({ script: REPORT("a"), tools: [tool], policy });
    await rig.task.run("Report");
    expect(JSON.stringify(rig.sent())).not.toContain("between us");
  });
});
