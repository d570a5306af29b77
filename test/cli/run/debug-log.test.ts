import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openDebugLog } from "../../../cli/run/debug-log.ts";
import { DONE, openRig } from "../../support/host.ts";

/** The debug log of a task that is complete, after a call that a person allowed. */
async function logOf(script: string, secrets: readonly string[] = []): Promise<readonly string[]> {
  await using rig = await openRig({ script, journal: "memory" });
  const log = openDebugLog(path.join(rig.dataDir, "log"), secrets);
  rig.task.events$.subscribe((shown) => log.commit(shown));
  const end = rig.task.run("Write it");
  const ask = await rig.ask("tool");
  ask.approve();
  await end;
  await log.close();
  return readFileSync(log.file, "utf8").trimEnd().split("\n");
}

describe("the debug log", () => {
  const WRITE = `[{ text: "I saw secret-of-mine and sk-ant-0123456789." }, { tool: write_to_file, input: { path: a, content: "x\\n" } }]`;
  const factsOf = (line: string): unknown => JSON.parse(line.slice(line.indexOf("{")));

  test("logs each state and each waiting ask like a client, one line each, in addition to the commits", async () => {
    const lines = await logOf(`[${WRITE}, ${DONE}]`);
    const said = lines.filter((line) => line.startsWith("[MessageProcessor] "));
    const waits = said.filter((line) => line.startsWith("[MessageProcessor] EMIT waitingForInput: "));
    expect(waits.map(factsOf)).toEqual([{ ask: "tool" }, { ask: "completion_result" }]);
    expect(said).toContain('[MessageProcessor] EMIT taskCompleted: {"success":true}');
    const updates = said.filter((line) => line.startsWith("[MessageProcessor] State update: "));
    expect(updates.map(factsOf).at(-1)).toMatchObject({
      lastMessage: { msgType: "ask:completion_result" },
      stateTransition: "streaming → idle",
      currentAsk: "completion_result",
      isWaitingForInput: true,
    });
    expect(lines.some((line) => /^\d{4}-.*Z no_task -> running\.starting \{/.test(line))).toBe(true);
  });

  test("contains neither text that looks like a key nor known secrets", async () => {
    const text = (await logOf(`[${WRITE}, ${DONE}]`, ["secret-of-mine"])).join("\n");
    expect(text).toContain("I saw [masked] and [masked].");
    expect(text).not.toMatch(/secret-of-mine|sk-ant/);
  });
});
