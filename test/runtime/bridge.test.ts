import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { checkRecordedLog } from "../../cli/log/recorded-log.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { allowEverything } from "../../tools/index.ts";
import {
  callsIn,
  DELIVERIES,
  type Delivery,
  OWN_MAX_TOKENS,
  openBridge,
  startedCallsIn,
} from "../support/bridge.ts";
import { DONE, openRig } from "../support/host.ts";

const run = (word: string): string =>
  `{ tool: execute_command, input: { command: "echo ${word} >> ran.txt", cwd: null } }`;

/** Runs a task whose model is behind a bridge that rejects each attack. Its disposal checks the laws. */
async function bridged(delivery: Delivery, turns: readonly string[]) {
  const mock = await startMock(parseScript(turns.map((turn) => `- ${turn}`).join("\n")));
  onTestFinished(() => mock.close());
  const rejects = (response: object): boolean => JSON.stringify(response).includes("attack");
  const bridge = await openBridge({ endpoint: mock.url, delivery, rejects });
  const model = anthropic({
    model: "claude-sonnet-4-5",
    apiKey: "key",
    baseURL: bridge.url,
    maxTokens: 9_000,
    temperature: 0.5,
    effort: "high",
  });
  await using rig = await openRig({ model, policy: allowEverything() });
  const end = await rig.task.run("Go");
  const dir = taskFolder(rig.dataDir, rig.task.id);
  const ran = await rig.file("ran.txt").catch(() => "");
  return {
    end,
    bridge,
    bodies: mock.requests.map(({ body }) => body),
    ran: ran.split("\n").slice(0, -1),
    started: await startedCallsIn(dir),
    violations: (await checkRecordedLog(dir)).flatMap(({ violations, tail }) =>
      [...violations, tail ?? []].flat(),
    ),
    journal: readFileSync(path.join(dir, "journal.jsonl"), "utf8"),
  };
}

describe.each(DELIVERIES)("under a bridge whose responses come as %s", (delivery) => {
  test("a task completes, runs each call that it was shown once, and no call of a rejected turn (L6, L7, L12)", async () => {
    const { end, bridge, ran, started, violations, journal } = await bridged(delivery, [
      `[{ text: I begin. }, ${run("one")}]`,
      `[{ text: I try. }, ${run("attack")}]`,
      `[{ text: "My first try was rejected, so I go on." }, ${run("two")}, ${run("three")}]`,
      `[${run("attack")}, ${run("four")}]`,
      `{ text: I attack in words. }`,
      DONE,
    ]);
    expect(end).toMatchObject({ state: "idle", ask: "completion", result: "Done." });
    expect(violations).toEqual([]);
    expect(callsIn(bridge.rejected)).toHaveLength(3);
    expect(ran).toEqual(["one", "two", "three"]);
    expect(started).toEqual(callsIn(bridge.seen));
    expect(journal).toContain("My first try was rejected");
    expect(journal).not.toContain("attack");
    for (const id of callsIn(bridge.rejected)) expect(journal).not.toContain(`${id}"`);
  });

  test("a task works with the settings of the bridge in place of its own", async () => {
    const { bodies } = await bridged(delivery, [run("one"), DONE]);
    expect(bodies).toHaveLength(2);
    for (const body of bodies) {
      expect(body).toMatchObject({ max_tokens: OWN_MAX_TOKENS, stream: false });
      for (const dropped of ["temperature", "output_config"]) expect(body).not.toHaveProperty(dropped);
    }
  });

  test("a call that is cut by the bridge's own output limit never runs (L7)", async () => {
    const cut = `{ blocks: [${run("cut")}], stop: max_tokens }`;
    const { end, bridge, ran, started, violations } = await bridged(delivery, [cut, run("whole"), DONE]);
    expect(end).toMatchObject({ result: "Done." });
    expect(violations).toEqual([]);
    expect(ran).toEqual(["whole"]);
    expect(started).toEqual(callsIn(bridge.seen));
  });

  test("signed thinking goes back as it came, and unsigned thinking makes no request invalid (L6)", async () => {
    const thinks = `[{ thinking: I think., signature: c2ln }, ${run("one")}]`;
    const unsigned = `[{ thinking: I think more., signature: "" }, ${run("two")}]`;
    const { end, ran, violations, bodies } = await bridged(delivery, [thinks, unsigned, DONE]);
    expect(end).toMatchObject({ result: "Done." });
    expect(ran).toEqual(["one", "two"]);
    expect(violations).toEqual([]);
    expect(JSON.stringify(bodies.at(-1))).toContain('"thinking":"I think.","signature":"c2ln"');
  });
});
