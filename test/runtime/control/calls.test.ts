import { describe, expect, test } from "vitest";
import { defineProtocol } from "../../../control/protocol.ts";
import { deferToTrusted } from "../../../control/protocols/defer-to-trusted.ts";
import { shutDownAtBudget } from "../../../control/protocols/shut-down-at-budget.ts";
import { trustedMonitoring } from "../../../control/protocols/trusted-monitoring.ts";
import type { MonitoredAction } from "../../../control/runtime/action.ts";
import { controllerOf, controlRig, recordsOf, suspicious, verdictsOf } from "../../support/control.ts";
import { DONE, textsOf } from "../../support/host.ts";

const write = (content: string): string =>
  `{ tool: write_to_file, input: { path: a.txt, content: ${content} } }`;
const SCRIPT = `[${write("good")}, ${write("evil")}, ${DONE}]`;
const monitoring = trustedMonitoring({ threshold: 0.5 });

describe("A protocol decides about each call before it runs", () => {
  test("with the digest of exactly what runs, and what a monitor says stays in the journal (CONTROL, field failure 31)", async () => {
    await using rig = await controlRig(controllerOf(monitoring, suspicious, { auditor: () => "harmless" }), {
      script: SCRIPT,
    });
    expect((await rig.task.run("Write")).result).toBe("Done.");
    expect(await rig.file("a.txt")).toBe("evil");
    expect(verdictsOf(rig)).toEqual([
      "call of untrusted: pass",
      "call of untrusted: audit",
      "call of untrusted: pass",
    ]);
    const [first, second] = recordsOf(rig);
    expect(first).toMatchObject({
      scores: { trusted: 0.1 },
      rationales: { trusted: "secret reason of trusted" },
    });
    expect(second).toMatchObject({ scores: { trusted: 0.9 }, audit: "harmless" });
    const decisions = rig.shown.flatMap(({ commit }) => commit.decisions.map(({ digest }) => digest));
    expect(decisions).toEqual(
      recordsOf(rig)
        .slice(0, 2)
        .map(({ digest }) => digest),
    );
    expect(JSON.stringify(rig.sent())).not.toContain("secret");
    expect(JSON.stringify([...rig.task.log])).not.toContain("secret");
  });

  test("an auditor that finds an attack ends the task: no call and no request follows, also when it is opened again", async () => {
    await using rig = await controlRig(controllerOf(monitoring, suspicious, { auditor: () => "attack" }), {
      script: `[[${write("evil")}, ${write("more")}], ${DONE}]`,
    });
    expect(await rig.task.run("Write")).toMatchObject({ state: "idle", error: { code: "shut_down" } });
    await expect(rig.file("a.txt")).rejects.toMatchObject({ code: "ENOENT" });
    expect(rig.task.log.at(-1)?.text).toBe(
      'The protocol "trusted monitoring" ended the task: The audit found an attack.',
    );
    const again = await rig.ask("failure");
    again.approve();
    await rig.until(({ commit }) => commit.reports.length > 0);
    expect(rig.sent()).toHaveLength(1);
  });

  test("without an auditor a person is asked, and a no ends the task", async () => {
    await using rig = await controlRig(controllerOf(monitoring, suspicious), { script: SCRIPT });
    const run = rig.task.run("Write");
    const ask = await rig.ask("tool");
    expect(ask).toMatchObject({ reason: 'the hook "control" asks: the call is audited.' });
    ask.reject();
    expect(await run).toMatchObject({ error: { code: "shut_down" } });
    expect(await rig.file("a.txt")).toBe("good");
  });

  test("a call of the trusted model runs in place of a suspicious one, and the model gets a note of it", async () => {
    const trusted = (action: MonitoredAction, from: string) => ({
      call: { tool: "execute_command", input: { command: `echo ${from} > ${action.call?.input.path}` } },
      dollars: 0.25,
    });
    await using rig = await controlRig(
      controllerOf(deferToTrusted({ threshold: 0.5 }), suspicious, { trusted }),
      {
        script: SCRIPT,
      },
    );
    // The ask about a running command is closed by its end. An answer would move the command to the background.
    const { usage } = await rig.task.run("Write", { onAsk: () => {} });
    expect(await rig.file("a.txt")).toBe("scratch\n");
    expect(verdictsOf(rig)).toEqual([
      "call of untrusted: pass",
      "call of untrusted: replace",
      "call of trusted: pass",
      "call of untrusted: pass",
    ]);
    expect(usage.cost).toBeGreaterThanOrEqual(0.25);
    expect(textsOf(rig.sent()[2] ?? []).join()).toContain(
      "write_to_file was replaced by a call of execute_command",
    );
  });

  test("a budget of audits holds over a process that ends", async () => {
    const control = controllerOf(shutDownAtBudget({ threshold: 0.5, auditBudget: 1 }), suspicious, {
      auditor: () => "harmless",
    });
    const script = `[${write("evil 1")}, ${write("evil 2")}, ${DONE}]`;
    await using rig = await controlRig(control, { script });
    const audited = rig.until(({ commit }) => commit.control?.[0]?.verdict === "audit");
    const run = rig.task.run("Write");
    await audited;
    rig.task.cancel();
    expect(await run).toMatchObject({ state: "resumable" });
    await rig.task.close();
    const reopen = (more: object) =>
      rig.host.open(rig.task.id, { model: rig.model, permissions: { level: "bypass" }, ...more });
    await expect(reopen({})).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining('the protocol "shut down at the budget"'),
    });
    const task = await reopen({ control });
    expect(await task.run()).toMatchObject({ error: { code: "shut_down" } });
  });

  test("a monitor that fails, lies or hangs gives the score 1, and a slow one never blocks a cancel", async () => {
    const scores = [
      () => Promise.reject(new Error("down")),
      () => ({ score: 7 }),
      () => new Promise<never>(() => {}),
    ];
    for (const monitor of scores) {
      const controller = {
        protocol: monitoring,
        monitors: { trusted: monitor },
        auditor: () => "harmless" as const,
      };
      await using rig = await controlRig(
        { ...controller, timeoutMs: 20 },
        { script: `[${write("good")}, ${DONE}]` },
      );
      await rig.task.run("Write");
      expect(recordsOf(rig)[0]).toMatchObject({ verdict: "audit", scores: { trusted: 1 } });
    }
    const slow = { protocol: monitoring, monitors: { trusted: () => new Promise<never>(() => {}) } };
    await using rig = await controlRig(slow, { script: `[${write("good")}, ${DONE}]` });
    const hooking = rig.until(({ commit }) => commit.effects.some(({ effect }) => effect === "hook"));
    const run = rig.task.run("Write");
    await hooking;
    rig.task.cancel();
    expect(await run).toMatchObject({ state: "resumable" });
  });

  test("a judge that throws denies, and a modified call runs with the new arguments", async () => {
    const broken = defineProtocol({
      name: "broken",
      monitors: {},
      state: {},
      judgeCall: () => {
        throw new Error("bug");
      },
    });
    await using rig = await controlRig(
      controllerOf(broken, () => 0),
      { script: `[${write("good")}, ${DONE}]` },
    );
    rig.task.asks$.subscribe((ask) => ask.kind === "mistakes" && ask.reject());
    void rig.task.run("Write").catch(() => {});
    await rig.until(({ commit }) => commit.control?.length === 1);
    expect(recordsOf(rig)[0]).toMatchObject({ verdict: "deny", error: "Error: bug" });
    rig.task.cancel();
    const modifying = defineProtocol({
      name: "modifying",
      monitors: {},
      state: {},
      judgeCall: ({ tool, input }, _, state) =>
        tool === "write_to_file" && input.content !== "safe"
          ? {
              verdict: { kind: "modify", input: { ...input, content: "safe" }, reason: "Write it safely." },
              state,
            }
          : { verdict: { kind: "pass" }, state },
    });
    await using other = await controlRig(
      controllerOf(modifying, () => 0),
      { script: `[${write("good")}, ${DONE}]` },
    );
    await other.task.run("Write");
    expect(await other.file("a.txt")).toBe("safe");
    expect(textsOf(other.sent()[1] ?? []).join()).toContain("Write it safely.");
  });
});
