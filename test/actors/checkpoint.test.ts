import { describe, expect, test } from "vitest";
import { checkpointActor } from "../../actors/checkpoint.ts";
import type { Checkpoints } from "../../adapters/checkpoints/checkpoints.ts";
import type { CheckpointsPort } from "../../ports/checkpoints.ts";
import { heldEdge, host, settle } from "./protocol/host.ts";

type Save = Checkpoints["save"];

/** A checkpoint actor; each `turn` starts it once. */
function setUp(checkpoints: CheckpointsPort | undefined) {
  const { edge, release } = heldEdge();
  const logic = checkpointActor(edge, { checkpoints });
  let calls = 0;
  return {
    release,
    start: () => host(logic, { callId: `c${++calls}` }),
    async turn() {
      const { received } = this.start();
      release();
      await settle();
      return received;
    },
  };
}

function saving(...saves: readonly Save[]): CheckpointsPort {
  let at = 0;
  const never = async (): Promise<never> => Promise.reject(new Error("expected only saves"));
  return async () => ({
    save: (options) => (saves[at++] ?? never)(options),
    diff: never,
    restore: never,
  });
}

const saved = (hash: string, from?: string): Save => {
  const base = from === undefined ? {} : { from };
  return async () => ({ ok: true, hash, changed: true, leftOut: [], ...base });
};
const failed =
  (code: "time" | "files"): Save =>
  async () => ({ ok: false, code, reason: `too much ${code}.` });

describe("the checkpoint actor", () => {
  test("sends one checkpoint.saved with the previous checkpoint", async () => {
    const actor = setUp(saving(saved("h1"), saved("h2", "h1")));
    expect(await actor.turn()).toEqual([{ type: "checkpoint.saved", callId: "c1", hash: "h1", at: 1000 }]);
    expect(await actor.turn()).toEqual([
      { type: "checkpoint.saved", callId: "c2", hash: "h2", from: "h1", at: 1000 },
    ]);
  });

  test("L11: saves nothing before it is released", async () => {
    let opened = 0;
    const actor = setUp(async () => {
      opened += 1;
      return { off: "no git." };
    });
    const { received } = actor.start();
    await settle();
    expect([opened, received]).toEqual([0, []]);
    await actor.turn();
    await actor.turn();
    expect(opened).toBe(1);
  });

  test("gives no reason if nothing has changed", async () => {
    const actor = setUp(
      saving(async () => ({ ok: true, hash: "h", from: "h", changed: false, leftOut: [] })),
    );
    expect(await actor.turn()).toEqual([{ type: "checkpoint.skipped", callId: "c1", at: 1000 }]);
  });

  test("reports once that checkpoints are off", async () => {
    const actor = setUp(async () => ({ off: "git was not found." }));
    expect(await actor.turn()).toEqual([
      { type: "checkpoint.skipped", callId: "c1", reason: "git was not found.", at: 1000 },
    ]);
    expect(await actor.turn()).toEqual([{ type: "checkpoint.skipped", callId: "c2", at: 1000 }]);
  });

  test("L14: reports each limit once, and saves again when it can", async () => {
    const actor = setUp(saving(failed("files"), failed("files"), saved("h1")));
    expect(await actor.turn()).toMatchObject([{ reason: "No checkpoint of this turn: too much files." }]);
    expect(await actor.turn()).toEqual([{ type: "checkpoint.skipped", callId: "c2", at: 1000 }]);
    expect(await actor.turn()).toMatchObject([{ type: "checkpoint.saved", hash: "h1" }]);
  });

  test("L14: turns checkpoints off after two timeouts in a row", async () => {
    const actor = setUp(saving(failed("time"), saved("h1"), failed("time"), failed("time"), saved("never")));
    expect(await actor.turn()).toMatchObject([{ reason: "No checkpoint of this turn: too much time." }]);
    expect(await actor.turn()).toMatchObject([{ hash: "h1" }]);
    expect(await actor.turn()).toEqual([{ type: "checkpoint.skipped", callId: "c3", at: 1000 }]);
    expect(await actor.turn()).toMatchObject([{ reason: expect.stringContaining("are off: 2 in a row") }]);
    expect(await actor.turn()).toEqual([{ type: "checkpoint.skipped", callId: "c5", at: 1000 }]);
  });

  test("reports a thrown error as the reason", async () => {
    const actor = setUp(saving(() => Promise.reject(new Error("a defect"))));
    expect(await actor.turn()).toMatchObject([
      { type: "checkpoint.skipped", reason: expect.stringContaining("a defect") },
    ]);
  });

  test("L10: a stop aborts the save, and nothing is sent", async () => {
    let signal: AbortSignal | undefined;
    const actor = setUp(
      saving((options) => {
        signal = options?.signal;
        return new Promise(() => {});
      }),
    );
    const { received, stop } = actor.start();
    actor.release();
    await settle();
    expect(signal?.aborted).toBe(false);
    stop();
    expect(signal?.aborted).toBe(true);
    expect(received).toEqual([]);
  });

  test("skips without a reason if there is no port", async () => {
    expect(await setUp(undefined).turn()).toEqual([{ type: "checkpoint.skipped", callId: "c1", at: 1000 }]);
  });
});
