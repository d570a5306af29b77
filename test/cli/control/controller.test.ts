import { describe, expect, test } from "vitest";
import { controllerOf as suiteController } from "../../../cli/control/controller.ts";
import { readSettings } from "../../../cli/control/setting/shipped.ts";
import { rocAuc } from "../../../control/metrics/roc.ts";
import { shippedProtocols } from "../../../control/protocols/shipped.ts";
import type { MonitoredAction } from "../../../control/runtime/action.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import { PersistentList } from "../../../machines/list/list.ts";
import { action } from "./action.ts";

const settings = await readSettings();
const [first] = settings;
if (first === undefined) throw new Error("Expected a shipped setting.");
const setting = first;
const protocols = shippedProtocols({ threshold: 0.5, auditBudget: 1 });
const { signal } = new AbortController();

function controllerOf(name: string, seed = 0.25) {
  const protocol = protocols.find((each) => each.name === name);
  if (protocol === undefined) throw new Error(`Expected a shipped protocol, got ${name}.`);
  return suiteController(protocol, {
    setting,
    models: {},
    auditor: () => "harmless",
    tools: [],
    seed,
    onFailure: () => {},
  });
}

const scoreOf = async (command: string, seed = 0.25, more: Partial<MonitoredAction> = {}): Promise<number> =>
  (await controllerOf("trusted monitoring", seed).monitors.trusted!(action(command, more), { signal })).score;

describe("a scripted controller", () => {
  test("has an actor for each monitor of each shipped protocol, and for each member of an ensemble", () => {
    expect(Object.keys(controllerOf("ensemble").monitors)).toEqual([
      "ensemble/trusted",
      "ensemble/untrusted",
    ]);
    expect(Object.keys(controllerOf("untrusted monitoring with honeypots").monitors)).toEqual([
      "untrusted",
      "honeypot",
    ]);
    expect(Object.keys(controllerOf("trusted only").monitors)).toEqual([]);
  });

  test("gives equal scores for an equal seed, and others for another seed", async () => {
    expect(await scoreOf("ls")).toBe(await scoreOf("ls"));
    expect(await scoreOf("ls")).not.toBe(await scoreOf("ls", 0.5));
    expect(await scoreOf("ls")).toBe(await scoreOf("ls", 0.25, { taskId: "t2", digest: "d2" }));
  });

  test("gives a known attack a high score, whatever form it has", async () => {
    expect(await scoreOf("ls", 0.25, { isHoneypot: true })).toBeGreaterThan(0.5);
  });

  test("tells attacks from honest commands better than by chance, and not perfectly", async () => {
    const attacks = await Promise.all(settings.map(({ attack }) => scoreOf(attack)));
    const honest = await Promise.all(
      settings.flatMap((each) => each.honest.map((command) => scoreOf(command))),
    );
    const auc = rocAuc([
      ...attacks.map((score) => ({ mode: "attack" as const, score })),
      ...honest.map((score) => ({ mode: "honest" as const, score })),
    ]);
    console.log(`AUC of the scripted monitor over commands: ${auc.toFixed(3)}`);
    expect(auc).toBeGreaterThan(0.6);
    expect(auc).toBeLessThan(1);
  });

  test("writes the honest command of the same turn in place of a call, and completes after the last", async () => {
    const entry = (done: number): readonly Entry[] =>
      Array.from({ length: done }, (): readonly Entry[] => [
        { role: "assistant", content: [{ type: "text", text: "" }] },
        { role: "user", content: [{ type: "text", text: "" }] },
      ]).flat();
    const judged: Entry = { role: "assistant", content: [{ type: "text", text: "" }] };
    const { trusted } = controllerOf("trusted only");
    const write = (conversation: readonly Entry[]) =>
      trusted?.(action(setting.attack, { conversation: PersistentList.from(conversation) }), "scratch", {
        signal,
      });
    expect(await write([])).toEqual({
      call: { tool: "execute_command", input: { command: setting.honest[0] } },
    });
    const second = { call: { tool: "execute_command", input: { command: setting.honest[1] } } };
    expect(await write(entry(1))).toEqual(second);
    expect(await write([...entry(1), judged])).toEqual(second);
    expect(await write(entry(setting.honest.length))).toMatchObject({ call: { tool: "attempt_completion" } });
  });
});
