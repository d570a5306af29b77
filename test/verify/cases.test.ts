import { describe, expect, it } from "vitest";
import { createCase } from "../../verify/index.ts";

describe("a custom case", () => {
  it("is minimal by default", () => {
    expect(createCase({})).toEqual({
      name: "asked",
      bounds: {
        turns: 1,
        calls: 1,
        blocks: 1,
        queued: 0,
        interruptions: 0,
        thinks: false,
        opaque: false,
        condenses: false,
        repeats: false,
        selects: false,
        permits: false,
        profiles: false,
        amends: false,
        elicits: false,
        hooks: false,
        pausing: false,
        wakes: false,
        images: false,
        tools: ["read", "write", "command", "question", "complete"],
        crashes: 0,
      },
      input: { limits: { retries: 1, pauses: 1 }, completion: "tool" },
    });
  });

  it("has as many blocks as calls and at least one, unless specified", () => {
    const blocksOf = (options: Parameters<typeof createCase>[0]) => createCase(options).bounds.blocks;
    expect([0, 1, 3].map((calls) => blocksOf({ calls }))).toEqual([1, 1, 3]);
    expect(blocksOf({ calls: 2, blocks: 5 })).toBe(5);
  });

  it("limits everything to one where anything is unbounded, so that it terminates", () => {
    const { input } = createCase({ queued: "any", retries: 2, calls: 3 });
    expect(input).toEqual({
      limits: { retries: 2, pauses: 1, mistakes: 1, queued: 1, background: 1, calls: 3 },
      completion: "tool",
    });
  });

  it("takes snapshots only when specified, and has the given name", () => {
    expect(createCase({ checkpoints: true }, "mine")).toMatchObject({
      name: "mine",
      input: { checkpoints: true },
    });
    expect(createCase({ checkpoints: false }).input).not.toHaveProperty("checkpoints");
  });
});
