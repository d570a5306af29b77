import { map } from "rxjs";
import { describe, expect, test } from "vitest";
import type { Ask } from "../../../runtime/task/ask.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { DONE, openRig } from "../../support/host.ts";
import { completes, QUESTION, scriptByMode, subtask } from "../../support/subtasks.ts";

const WRITE = "{ tool: write_to_file, input: { path: a.txt, content: x } }";
/** The task delegates to a subtask, which writes, asks and completes. */
const DELEGATED = scriptByMode(
  { mode: "code", after: "new_task", turn: DONE },
  { mode: "code", turn: subtask("ask") },
  { mode: "ask", after: "ask_followup_question", turn: completes("One done.") },
  { mode: "ask", turn: QUESTION },
);

describe("a run whose ask nobody receives", () => {
  test("resolves with the ask, which can still be answered", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
    const end = await rig.task.run("Write");
    expect(end).toMatchObject({ state: "waiting_for_input", ask: "tool", asks: [{ kind: "tool" }] });
    expect(end.asks).toEqual(rig.task.asks);
    approve(end.asks?.[0]);
    expect(await rig.task.resume()).toMatchObject({ state: "idle", result: "Done." });
    expect(await rig.file("a.txt")).toBe("x");
  });

  test("resolves with the asks of a subtask, which `resume` answers by their ids", async () => {
    await using rig = await openRig({ script: DELEGATED });
    const kinds: string[] = [];
    let end = await rig.task.run("Delegate");
    while (end.asks !== undefined) {
      kinds.push(end.ask);
      const [{ id: askId, kind }] = end.asks;
      end = await rig.task.resume({
        [askId]: kind === "question" ? { kind: "text", text: "left" } : { kind: "yes" },
      });
    }
    expect(kinds).toEqual(["tool", "question", "completion"]);
    expect(end).toMatchObject({ state: "idle", result: "Done." });
  });

  test("resolves at each further ask, with the answers of `resume` applied in between", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${WRITE}, ${DONE}]` });
    const first = await rig.task.run("Write");
    const second = await rig.task.resume({ [id(first.asks)]: { kind: "text", text: "left" } });
    expect([first.ask, second.ask]).toEqual(["question", "tool"]);
    await expect(rig.task.resume({ [id(first.asks)]: { kind: "yes" } })).rejects.toMatchObject({
      code: "ANSWER_REFUSED",
    });
    const end = await rig.task.resume({ [id(second.asks)]: { kind: "no", text: "Leave it." } });
    expect(end).toMatchObject({ state: "idle", result: "Done." });
  });

  test("has its end for `resume` where the task settled before", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
    const { asks } = await rig.task.run("Write");
    const end = rig.task.settled();
    approve(asks?.[0]);
    const settled = await end;
    expect(await rig.task.resume()).toEqual(settled);
    // It is reported once: from now on, `resume` is `run` without a prompt.
    await expect(rig.task.resume()).rejects.toMatchObject({ code: "TASK_BUSY" });
  });

  test("resolves again while the ask is open", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
    const first = await rig.task.run("Write");
    expect(await rig.task.resume()).toEqual(first);
    await expect(rig.task.run("More")).rejects.toMatchObject({ code: "TASK_BUSY" });
  });
});

describe("a run goes on", () => {
  test("with the answers of `onAsk`, also to asks of a subtask", async () => {
    await using rig = await openRig({ script: DELEGATED });
    const kinds: string[] = [];
    const end = await rig.task.run("Delegate", {
      onAsk(ask) {
        kinds.push(ask.kind);
        if (ask.kind === "question") ask.answer("left");
        else approve(ask);
      },
    });
    expect(kinds).toEqual(["tool", "question", "completion"]);
    expect(end).toMatchObject({ state: "idle", result: "Done." });
  });

  test.each([
    ["asks$", ({ asks$ }: Task) => asks$],
    ["treeAsks$", ({ treeAsks$ }: Task) => treeAsks$.pipe(map(({ ask }) => ask))],
  ])("with the answers of a subscriber of `%s`", async (_, asksOf) => {
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
    asksOf(rig.task).subscribe(approve);
    expect(await rig.task.run("Write")).toMatchObject({ state: "idle", result: "Done." });
  });

  test("with the answer of a rule that comes later", async () => {
    await using rig = await openRig({
      script: `[${QUESTION}, ${DONE}]`,
      expiry: ({ ask }) =>
        ask === "followup"
          ? { afterMs: 20, answer: { kind: "text", text: "One" }, rule: "unattended" }
          : undefined,
    });
    expect(await rig.task.run("Ask")).toMatchObject({ state: "idle", result: "Done." });
  });
});

test("an error of `onAsk` is the error of the run, and its ask stays open", async () => {
  await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
  const error = new Error("No person is here.");
  const onAsk = () => Promise.reject(error);
  await expect(rig.task.run("Write", { onAsk })).rejects.toBe(error);
  expect(rig.task.asks).toMatchObject([{ kind: "tool" }]);
  const end = rig.task.settled();
  approve(rig.task.asks[0]);
  expect(await end).toMatchObject({ result: "Done." });
});

function approve(ask: Ask | undefined): void {
  if (ask !== undefined && "approve" in ask) ask.approve();
}

const id = (asks: readonly Ask[] | undefined): number => asks?.[0]?.id ?? 0;
