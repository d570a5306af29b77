import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../machines/task/limits.ts";
import type { Verdict } from "../../machines/tool-call/call.ts";
import { askAPerson } from "../../tools/index.ts";
import { messagesOf, openRig } from "../support/host.ts";
import { deferred } from "../support/model.ts";
import { completes, NOTE, Notes, openSubtaskRig } from "../support/subtasks.ts";
import { resultsById } from "./results.ts";

test("field failure 17: a call that its policy decides after the end of the response causes no other request and no failure (L4, L7)", async () => {
  const notes = new Notes();
  const verdict = deferred<Verdict>();
  const ask = askAPerson();
  await using rig = await openSubtaskRig(`[${NOTE}, ${completes("All done.")}]`, {
    policy: (call, facts) => (call.tool.name === "note" ? verdict.promise : ask(call, facts)),
    tools: [notes.tool],
  });
  const responded = rig.until(({ commit }) => commit.after === "streaming.finishing");
  const end = rig.task.run("Note it");
  await responded;
  verdict.resolve({ kind: "ask" });
  const asked = await rig.ask("tool");
  expect(rig.sent()).toHaveLength(1);
  asked.approve();
  expect((await end).result).toBe("All done.");
  expect(resultsById(rig.sent()[1] ?? [])).toEqual([["toolu_1", "noted"]]);
  expect(notes.count).toBe(1);
  expect(messagesOf(rig.task)).toEqual([
    "say:text",
    "say:api_req_started",
    "ask:tool (answered)",
    "say:tool",
    "say:api_req_started",
    "say:completion_result",
    "ask:completion_result",
  ]);
});

test("field failure 21: a request that always fails is retried after growing delays, up to the limit, and then asks (L14)", async () => {
  await using rig = await openRig({
    script: "[{ status: 529 }]",
    host: { random: () => 0 },
    limits: { retryDelayMs: 4, retryDelayMaxMs: 32 },
  });
  expect(await rig.task.run("Do it")).toMatchObject({ state: "idle", ask: "failure" });
  expect(rig.sent()).toHaveLength(DEFAULT_LIMITS.retries + 1);
  const delays = rig.shown.flatMap(({ commit, snapshot }) =>
    commit.cause?.type === "llm.failed" && commit.after === "running.retrying"
      ? [snapshot.context.retryAt - commit.cause.at]
      : [],
  );
  expect(delays).toEqual([2, 4, 8, 16, 16]);
});
