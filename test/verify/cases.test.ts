import { describe, expect, it } from "vitest";
import { createCase } from "../../verify/index.ts";

describe("a case of one's own", () => {
  it("is the smallest where nothing is said", () => {
    expect(createCase({})).toEqual({
      name: "asked",
      bounds: {
        turns: 1,
        calls: 1,
        blocks: 1,
        queued: 0,
        interruptions: 0,
        thinks: false,
        tools: ["read", "write", "command", "question", "complete"],
        crashes: 0,
      },
      input: { limits: { retries: 1, pauses: 1 } },
    });
  });

  it("has the blocks that its calls need, one at least, unless it says how many", () => {
    const blocksOf = (options: Parameters<typeof createCase>[0]) => createCase(options).bounds.blocks;
    expect([0, 1, 3].map((calls) => blocksOf({ calls }))).toEqual([1, 1, 3]);
    expect(blocksOf({ calls: 2, blocks: 5 })).toBe(5);
  });

  it("has limits of one of each where anything has no bound, for else it had no end", () => {
    const { input } = createCase({ queued: "any", retries: 2, calls: 3 });
    expect(input).toEqual({
      limits: { retries: 2, pauses: 1, mistakes: 1, queued: 1, background: 1, calls: 3 },
    });
  });

  it("takes snapshots only where it says so, and bears the name that it is given", () => {
    expect(createCase({ checkpoints: true }, "mine")).toMatchObject({
      name: "mine",
      input: { checkpoints: true },
    });
    expect(createCase({ checkpoints: false }).input).not.toHaveProperty("checkpoints");
  });
});
