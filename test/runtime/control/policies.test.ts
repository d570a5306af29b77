import path from "node:path";
import { describe, expect, test } from "vitest";
import { checkRecordedPolicies } from "../../../cli/log/policy-check.ts";
import { readRecordedEvents } from "../../../cli/log/recorded-events.ts";
import { defineProtocol } from "../../../control/protocol.ts";
import { deferToTrusted } from "../../../control/protocols/defer-to-trusted.ts";
import { trustedMonitoring } from "../../../control/protocols/trusted-monitoring.ts";
import type { Controller } from "../../../control/runtime/controller.ts";
import { createHost } from "../../../runtime/host.ts";
import { openHistory } from "../../../runtime/task-history/task-history.ts";
import { taskFolder } from "../../../store/task-history/task-folder.ts";
import { allowEverything } from "../../../tools/index.ts";
import {
  event,
  type Formula,
  implies,
  not,
  once,
  or,
  type TemporalPolicy,
} from "../../../tools/temporal/index.ts";
import { TaskEvents } from "../../../tools/temporal/task-events.ts";
import { controllerOf, controlRig, suspicious } from "../../support/control.ts";
import { DONE, openRig, type Rig, resultsOf } from "../../support/host.ts";

const policyOf = (always: Formula): readonly TemporalPolicy[] => [
  { name: "watched", clauses: [{ name: "clause", always }] },
];
const DENIED = /denied by the rule \\?"watched: clause\\?"/;
const command = (text: string): string =>
  `{ tool: execute_command, input: { command: "${text}", cwd: null } }`;
const executes = event({ event: "call.started", effect: "executes" });
const byPerson = event({ by: "person" });

const fileOf = ({ dataDir, task }: Rig): string => path.join(taskFolder(dataDir, task.id), "journal.jsonl");
const breachesIn = async (rig: Rig, policies: readonly TemporalPolicy[]) =>
  (await checkRecordedPolicies(fileOf(rig), policies)).breaches;

/** The results that the model got, and whether each call was denied by the policy. */
const denialsIn = (rig: Rig): readonly boolean[] =>
  resultsOf(rig.sent().at(-1) ?? []).map((text) => DENIED.test(text));

const passes = trustedMonitoring({ threshold: 0.95 });
const harmless: Partial<Controller> = { auditor: () => "harmless" };

describe("A policy over time knows what the control protocol decided", () => {
  test("no command runs without a person after an action whose score was over 0.8", async () => {
    const suspected = once(event({ score: { trusted: { over: 0.8 } } }));
    const policies = policyOf(implies(executes, or(not(suspected), byPerson)));
    const script = `- [${command("echo good >> ran")}, ${command("echo evil >> ran")}]\n- ${DONE}`;
    await using rig = await controlRig(controllerOf(passes, suspicious), { script, policies });
    const run = rig.task.run("Go");
    const ask = await rig.ask("command");
    const { events } = await readRecordedEvents(fileOf(rig));
    const { seq } = events.find(({ kind, verdict }) => kind === "call.judged" && verdict === "pass") ?? {};
    const suspect = events.find(({ scores }) => scores?.trusted === 0.9);
    expect(suspect).toMatchObject({ kind: "call.judged", command: "echo evil >> ran" });
    expect(suspect?.seq).toBeGreaterThan(seq ?? 0);
    expect(ask.reason).toBe(`clause clause of policy watched, since record ${suspect?.seq}`);
    expect(await rig.file("ran")).toBe("good\n");
    ask.approve();
    expect(await run).toMatchObject({ result: "Done." });
    expect(await rig.file("ran")).toBe("good\nevil\n");
    expect(await breachesIn(rig, policies)).toEqual([]);
  });

  test("no call starts that is itself over the score, unless a person permits it", async () => {
    const over = event({ event: "call.started", score: { trusted: { over: 0.8 } } });
    const policies = policyOf(not(over));
    const script = `- [${command("echo evil >> ran")}, ${command("echo good >> ran")}]\n- ${DONE}`;
    await using rig = await controlRig(controllerOf(passes, suspicious), { script, policies });
    expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
    expect(await rig.file("ran")).toBe("good\n");
    expect(denialsIn(rig)).toEqual([true, false]);
    expect(await breachesIn(rig, policies)).toEqual([]);
  });

  const denies = defineProtocol({
    name: "denies",
    monitors: { trusted: { by: "trusted", at: "call", thresholds: [0.5] } },
    state: {},
    judgeCall: (_, { trusted }, state) => ({
      verdict: trusted > 0.5 ? { kind: "deny", reason: "no." } : { kind: "pass" },
      state,
    }),
  });
  const pushes = event({ event: "call.started", command: "git push *" });
  const afterDenial = policyOf(implies(pushes, not(once(event({ event: "call.judged", verdict: "deny" })))));
  const push = command("git push || true");

  test("no push starts after a call that the protocol denied, also when the task is opened again", async () => {
    const script = `- ${push}\n- ${command("evil")}\n- ${push}\n- ${DONE}\n- ${push}\n- ${DONE}`;
    const control = controllerOf(denies, suspicious);
    await using rig = await controlRig(control, { script, policies: afterDenial });
    await rig.task.run("Go");
    const sent = rig.sent().map((each) => DENIED.test(resultsOf(each).at(-1) ?? ""));
    expect(sent).toEqual([false, false, false, true]);
    await rig.host.closeAll();
    const { model, dir: workspace, dataDir } = rig;
    const fork = await openHistory({ dataDir }).fork(rig.task.id);
    const host = createHost({ dataDir });
    const permissions = { policies: afterDenial, judge: allowEverything() };
    const again = await host.open(fork.id, { model, permissions, control, workspace });
    await again.run("Go on");
    expect(resultsOf(rig.sent().at(-1) ?? [])[0]).toMatch(DENIED);
    await host.closeAll();
    expect(await breachesIn(rig, afterDenial)).toEqual([]);
  });

  test("the events of a journal are the decisions of the protocol and what they are about", async () => {
    const trusted = () => ({ call: { tool: "execute_command", input: { command: "echo trusted" } } });
    await using rig = await controlRig(
      controllerOf(deferToTrusted({ threshold: 0.5 }), suspicious, { trusted }),
      { script: `- ${command("echo evil")}\n- ${DONE}` },
    );
    await rig.task.run("Go");
    const { events } = await readRecordedEvents(fileOf(rig));
    const reader = new TaskEvents({ workspace: rig.dir });
    const live = rig.shown.flatMap(({ commit }) => reader.eventsIn(commit));
    expect(live).toEqual(events.map(({ seq: _, ...each }) => each));
    const ofCommand = events.filter(({ tool = "execute_command" }) => tool === "execute_command");
    const plain = ofCommand.map(({ kind, command, verdict, author, scores }) => ({
      kind,
      command,
      verdict,
      author,
      scores,
    }));
    const byTrusted = { author: "trusted", verdict: "pass", scores: {} };
    expect(plain.filter(({ kind }) => kind.startsWith("call."))).toEqual([
      {
        kind: "call.judged",
        command: "echo evil",
        author: "untrusted",
        verdict: "replace",
        scores: { trusted: 0.9 },
      },
      { kind: "call.judged", command: undefined, ...byTrusted },
      { kind: "call.started", command: "echo trusted", ...byTrusted },
      { kind: "call.ended", command: "echo trusted", ...byTrusted },
    ]);
  });

  test("a call that is audited does not start under a policy that forbids it, no matter that the audit found nothing", async () => {
    const audited = event({ event: "call.started", verdict: "audit" });
    const policies = policyOf(not(audited));
    const control = controllerOf(trustedMonitoring({ threshold: 0.5 }), suspicious, harmless);
    const script = `- [${command("echo evil >> ran")}, ${command("echo good >> ran")}]\n- ${DONE}`;
    await using rig = await controlRig(control, { script, policies });
    expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
    expect(denialsIn(rig)).toEqual([true, false]);
    expect(await breachesIn(rig, policies)).toEqual([]);
  });
});

describe("A policy over time knows the arguments of calls", () => {
  const write = (more: string): string =>
    `{ tool: write_to_file, input: { path: a.txt, content: "x"${more} } }`;
  const policies = policyOf(
    implies(
      event({ event: "call.started", effect: "writes", path: "a.txt" }),
      event({ argument: { content: ["x", "y*"] } }),
    ),
  );

  test("a file is written only with the arguments that the policy names", async () => {
    const script = `- [${write("").replace('"x"', '"z"')}, ${write("")}]\n- ${DONE}`;
    await using rig = await openRig({ script, policies, policy: allowEverything() });
    expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
    expect(denialsIn(rig)).toEqual([true, false]);
    expect(await rig.file("a.txt")).toBe("x");
    expect(await breachesIn(rig, policies)).toEqual([]);
  });

  test("a long text may match, and its journal is checked alike", async () => {
    const noKeys = policyOf(not(event({ event: "call.started", argument: { content: "*KEY*" } })));
    const long = "z".repeat(1_001);
    const script = `- [${write("").replace('"x"', `"${long}"`)}, ${write("")}]\n- ${DONE}`;
    await using rig = await openRig({ script, policies: noKeys, policy: allowEverything() });
    expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
    expect(denialsIn(rig)).toEqual([true, false]);
    expect(await breachesIn(rig, noKeys)).toEqual([]);
    const onlyX = policyOf(
      implies(event({ event: "call.started" }), event({ argument: { content: "*x*" } })),
    );
    await using other = await openRig({
      script: `- ${write("").replace('"x"', `"${long}x"`)}\n- ${DONE}`,
      policies: onlyX,
      policy: allowEverything(),
    });
    await other.task.run("Go");
    expect(denialsIn(other)).toEqual([true]);
  });
});
