import { describe, expect, it } from "vitest";
import { type IntendedCall, intentFinding, selectionError } from "../../../actors/review/intent.ts";
import type { Intent } from "../../../tools/index.ts";

const INTENT: Intent = {
  id: "A",
  name: "A",
  status: "IN_PROGRESS",
  ownedScope: ["src/**"],
  constraints: [],
  acceptanceCriteria: [],
};
const read = async () => [INTENT];
const SELECTED = { stage: "selected", id: "A" } as const;

type Tool = Partial<IntendedCall["tool"]>;
const path = (name: string) => ({ path: name, real: `/project/${name}`, inside: true, ignored: false });
const call = (tool: Tool, description: Partial<IntendedCall["description"]> = {}): IntendedCall => ({
  tool: { name: "tool", group: "custom", effect: "reads", ...tool },
  description: { paths: [], ...description },
  workspace: "/project",
});

const WITHOUT_EFFECT: readonly (readonly [string, IntendedCall])[] = [
  ["a tool that reads", call({ group: "read" }, { paths: [path("lib/a.ts")] })],
  ["a tool of the project that reads", call({})],
  ["a question", call({ effect: "asks", group: "always" })],
  ["a tool without an effect", call({ effect: "none", group: "always" })],
];

const WITH_EFFECT: readonly (readonly [string, IntendedCall, kind: string])[] = [
  ["a write inside of the scope", call({ effect: "writes" }, { paths: [path("src/a.ts")] }), "owned"],
  ["a write outside of the scope", call({ effect: "writes" }, { paths: [path("lib/a.ts")] }), "refused"],
  ["a write that names no path", call({ effect: "writes" }), "unscoped"],
  ["a command", call({ effect: "executes", group: "command" }), "unscoped"],
  ["a command in a folder of the scope", call({ effect: "executes" }, { paths: [path("src")] }), "unscoped"],
  ["a subtask", call({ effect: "delegates", group: "always" }), "owned"],
  ["a page of the web", call({ group: "fetch" }, { fetches: "https://example.com/" }), "owned"],
  ["a tool of the project that fetches", call({}, { fetches: "example.com" }), "owned"],
  ["a browser", call({ effect: "executes", group: "fetch" }), "unscoped"],
  [
    "a tool of an MCP server that reads",
    call({ group: "mcp" }, { mcp: { server: "s", tool: "t" } }),
    "owned",
  ],
  ["another tool of an MCP server", call({ effect: "executes", group: "mcp" }), "unscoped"],
];

describe("a task without intents", () => {
  it.each([...WITHOUT_EFFECT, ...WITH_EFFECT.map(([name, tested]) => [name, tested] as const)])(
    "%s needs none",
    async (_, tested) => {
      expect(await intentFinding(undefined, read, tested)).toBeUndefined();
    },
  );
});

describe("before an intent is selected", () => {
  it.each(WITHOUT_EFFECT)("%s needs none", async (_, tested) => {
    expect(await intentFinding({ stage: "required" }, read, tested)).toBeUndefined();
  });

  it.each(WITH_EFFECT)("%s is refused", async (_, tested) => {
    expect(await intentFinding({ stage: "required" }, read, tested)).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("The active intents are: A."),
    });
  });
});

describe("under a selected intent", () => {
  it.each(WITHOUT_EFFECT)("%s needs none", async (_, tested) => {
    expect(await intentFinding(SELECTED, read, tested)).toBeUndefined();
  });

  it.each(WITH_EFFECT)("%s is judged by its scope", async (_, tested, kind) => {
    expect(await intentFinding(SELECTED, read, tested)).toMatchObject(
      kind === "refused" ? { kind } : { kind, id: "A" },
    );
  });

  it.each(WITH_EFFECT)("%s is refused if it has ended, or can't be read", async (_, tested) => {
    const ended = await intentFinding(SELECTED, async () => [{ ...INTENT, status: "DONE" }], tested);
    expect(ended).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("the intent 'A' is DONE."),
    });
    const unreadable = async () => {
      throw new Error("file:2:1: expected a list");
    };
    expect(await intentFinding(SELECTED, unreadable, tested)).toMatchObject({
      kind: "refused",
      reason: "the intents can't be read: file:2:1: expected a list",
    });
    expect(await selectionError("A", unreadable)).toContain("file:2:1");
  });

  it("a write of a file that changed is refused, and one outside of the scope for its path", async () => {
    const changed = async () => "src/a.ts";
    const inside = { ...call({ effect: "writes" }, { paths: [path("src/a.ts")] }), changed };
    expect(await intentFinding(SELECTED, read, inside)).toMatchObject({
      kind: "refused",
      rule: "content hash",
    });
    const outside = { ...call({ effect: "writes" }, { paths: [path("lib/a.ts")] }), changed };
    expect(await intentFinding(SELECTED, read, outside)).toMatchObject({
      rule: "owned_scope of A in .orchestration/active_intents.yaml",
    });
  });
});
