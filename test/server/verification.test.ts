import { expect, test } from "vitest";
import type { VerificationCounts } from "../../wire/http/verification.ts";
import { NOTHING_VERIFIED } from "../support/nothing-verified.ts";
import { Served, SseReader } from "./support.ts";

const RESULT = {
  ...NOTHING_VERIFIED,
  laws: [{ id: "L1", title: "a law", verdict: "holds", macrosteps: 2 }],
  states: { no_task: 1 },
};
const SCRIPT = "- text: Done.";

/** A server with a verification, and the tasks that it was asked to count. */
async function serving() {
  const asked: (readonly string[] | undefined)[] = [];
  const served = await Served.open({
    script: SCRIPT,
    verification: {
      result: RESULT,
      async count(changed): Promise<VerificationCounts> {
        asked.push(changed);
        const recorded = { tasks: asked.length, events: 0, states: {}, edges: {}, damaged: [] };
        return { recorded, transitions: [null, { times: 1, perhaps: 0 }] };
      },
    },
  });
  return { served, asked };
}

test("a server without a verification has none, and no counts: the error says how to get them", async () => {
  await using served = await Served.open({ script: SCRIPT });
  expect(await (await served.fetch("/api/verification")).json()).toEqual({ verification: null });
  const refused = await served.fetch("/api/verification/counts");
  expect(refused.status).toBe(404);
  expect(await refused.json()).toMatchObject({
    code: "VERIFICATION_UNKNOWN",
    detail: expect.stringContaining("signalbox verify --page"),
  });
});

test("a server has its verification, and counts all tasks first, then only the tasks that changed (L17)", async () => {
  const { served, asked } = await serving();
  await using _ = served;
  expect(await (await served.fetch("/api/verification")).json()).toEqual({ verification: RESULT });
  const counts = await SseReader.open(served, "/api/verification/counts");
  const first = JSON.parse((await counts.next())?.data ?? "");
  expect(first).toMatchObject({ recorded: { tasks: 1 }, transitions: [null, { times: 1, perhaps: 0 }] });
  expect(asked).toEqual([undefined]);
  const { id } = await served.create("Do it");
  const later = JSON.parse((await counts.next())?.data ?? "");
  expect(later.recorded.tasks).toBe(2);
  expect(asked[1]).toEqual([id]);
  counts.close();
});

test("counts that fail end their stream with the reason", async () => {
  const errors: unknown[] = [];
  await using served = await Served.open({
    script: SCRIPT,
    onError: (error) => errors.push(error),
    verification: {
      result: RESULT,
      count: async (changed) => {
        if (changed !== undefined) throw new Error("the folder is gone");
        const recorded = { tasks: 0, events: 0, states: {}, edges: {}, damaged: [] };
        return { recorded, transitions: [] };
      },
    },
  });
  const counts = await SseReader.open(served, "/api/verification/counts");
  await counts.next();
  await served.create("Do it");
  const [failed] = await counts.until(({ event }) => event === "failed");
  expect(JSON.parse(failed?.data ?? "")).toMatchObject({ code: "INTERNAL" });
  expect(errors).toEqual([new Error("the folder is gone")]);
});
