import { filter, firstValueFrom } from "rxjs";
import { expect, test, vi } from "vitest";
import type { Change } from "../../../machines/task/change.ts";
import type { BrokenLaw, LawCheck } from "../../../runtime/breakpoints/macrosteps.ts";
import { allowEverything } from "../../../tools/index.ts";
import { messageLaws } from "../../../verify/index.ts";
import { taskInfoSchema } from "../../../wire/http/api.ts";
import { enters, Served, SseReader } from "../../server/support.ts";
import { DONE, openRig } from "../../support/host.ts";

const fault = vi.hoisted((): { kind: "none" | "twice" | "silent" } => ({ kind: "none" }));

// An answered ask is closed twice: its message is marked again, and the derived state stays the same.
vi.mock("../../../machines/task/asks.ts", async (original) => {
  const sound = await original<typeof import("../../../machines/task/asks.ts")>();
  return {
    ...sound,
    closeAnsweredAsk(change: Change) {
      const id = change.context.ask?.id;
      sound.closeAnsweredAsk(change);
      if (fault.kind === "twice" && id !== undefined) change.amend(id, { closing: "answered" });
    },
  };
});

// A cancel settles the task without a resume ask: the messages and the machine differ.
vi.mock("../../../machines/task/lifecycle.ts", async (original) => {
  const sound = await original<typeof import("../../../machines/task/lifecycle.ts")>();
  return {
    ...sound,
    askToResume: (change: Change) => (fault.kind === "silent" ? undefined : sound.askToResume(change)),
  };
});

const READS = "{ tool: list_files, input: { path: ., recursive: false } }";
const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;

/** A custom law: there is one request. */
const oneRequest: LawCheck = ({ log }) => {
  let requests = [...log].filter(({ say }) => say === "api_req_started").length;
  return ({ emitted }) => {
    for (const piece of emitted)
      if (piece.type === "message.appended" && piece.message.say === "api_req_started") requests += 1;
    return requests > 1 ? { law: "HOUSE-1", reason: `request ${requests}` } : undefined;
  };
};

test("when a macrostep breaks a custom law, the actors' later events are held and the law is named", async () => {
  await using rig = await openRig({
    script: `[${READS}, ${DONE}]`,
    policy: allowEverything(),
    debugging: { laws: oneRequest },
  });
  const { breakpoints } = rig.task;
  breakpoints.set({ laws: true });
  const reported: (BrokenLaw | undefined)[] = [];
  breakpoints.held$.subscribe(() => reported.push(breakpoints.broken));
  const end = rig.task.run("Look");
  await firstValueFrom(breakpoints.held$.pipe(filter((held) => held.at(0)?.type === "context.ready")));
  expect(breakpoints.broken).toEqual({ law: "HOUSE-1", reason: "request 2" });
  // The law is reported before an event is held.
  expect(reported.slice(0, 2)).toEqual([undefined, { law: "HOUSE-1", reason: "request 2" }]);
  breakpoints.set({});
  expect(breakpoints.broken).toBeUndefined();
  expect((await end).result).toBe("Done.");
});

test("a check that starts while the task runs gets the task's current position", async () => {
  const positions: string[] = [];
  const laws: LawCheck = ({ state, log, conversation }) => {
    positions.push(`${state} ${log.length > 0} ${conversation.length > 0}`);
    return () => undefined;
  };
  await using rig = await openRig({
    script: `[${READS}, ${DONE}]`,
    policy: allowEverything(),
    debugging: { laws },
  });
  const { breakpoints } = rig.task;
  breakpoints.set({ events: ["tool.finished"] });
  expect(positions).toEqual([]);
  const end = rig.task.run("Look");
  await firstValueFrom(breakpoints.held$.pipe(filter((held) => held.length > 0)));
  breakpoints.set({ laws: true });
  expect(positions).toEqual(["running.calling true true"]);
  breakpoints.resume();
  await end;
  expect(breakpoints.broken).toBeUndefined();
});

test("an ask that is closed twice holds a task under the laws of messages; the task list names the law and the reason (L8)", async () => {
  await using served = await Served.open({
    script: `[${WRITE}, ${DONE}]`,
    bounds: { listMs: 1 },
    task: { debugging: { laws: messageLaws } },
  });
  const { id } = await served.create("Change it");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("waiting_for_input"));
  const cards = await SseReader.open(served, "/api/events");
  const cardIs = (fits: (card: ReturnType<typeof taskInfoSchema.parse>) => boolean) =>
    cards.until(({ data }) => {
      const card = taskInfoSchema.safeParse(JSON.parse(data));
      return card.success && fits(card.data);
    });
  await served.post(`/api/tasks/${id}/breakpoints`, { laws: true });
  const [ask] = (await served.info(id)).asks;
  fault.kind = "twice";
  await served.post(`/api/tasks/${id}/asks/${ask?.askId}/answer`, { kind: "yes" });
  fault.kind = "none";
  await cardIs(({ held }) => held?.includes("tool.finished") === true);
  const { broken, path } = await served.info(id);
  expect(path).toBe("running.calling");
  const reason = `expected an ask is closed once; came ask:tool (${ask?.askId}) was closed again`;
  expect(broken).toEqual({ law: "L8", reason });
  await served.post(`/api/tasks/${id}/resume`);
  await cardIs(({ state, broken }) => state === "idle" && broken === undefined);
  stream.close();
  cards.close();
});

test("without custom laws, a task is held when its messages and its machine differ in state (L1)", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id } = await served.create("Change it");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("waiting_for_input"));
  await served.post(`/api/tasks/${id}/breakpoints`, { laws: true });
  fault.kind = "silent";
  await served.post(`/api/tasks/${id}/cancel`);
  fault.kind = "none";
  const { broken, held } = await served.info(id);
  expect(broken?.law).toBe("L1");
  expect(broken?.reason).toMatch(/^the machine is in resumable, the messages mean \w+$/);
  expect(held).toEqual([]);
  stream.close();
});
