import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createActor, setup } from "xstate";
import { z } from "zod";
import { immediateEdge } from "../../../actors/protocol/edge.ts";
import { digestOf } from "../../../actors/review/digest.ts";
import { reviewActor } from "../../../actors/review/review.ts";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { ReviewEvent } from "../../../machines/task/task.events.ts";
import type { Review, Verdict } from "../../../machines/tool-call/call.ts";
import {
  allowEverything,
  askAPerson,
  builtinTools,
  defineTool,
  denyEverything,
  type Policy,
  type Tool,
} from "../../../tools/index.ts";

const permissions = { revision: 0, mode: "ask", rules: [] } as const;

const shell = systemShell();

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "review-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** The tools that no task lacks are offered. */
const head = async () => ({
  offered: builtinTools().filter(({ requires }) => requires === undefined),
  system: [],
});

async function review(
  name: string,
  input: Record<string, unknown>,
  policy: Policy = askAPerson(),
  more: readonly Tool[] = [],
): Promise<Review> {
  const tools = [...builtinTools(), ...more];
  return reviewed({ tools, head, policy, workspace: await openWorkspace(root), shell }, name, input);
}

async function reviewed(
  environment: Parameters<typeof reviewActor>[1],
  name: string,
  input: Record<string, unknown>,
): Promise<Review> {
  const logic = reviewActor(immediateEdge, environment);
  const event = await new Promise<ReviewEvent>((resolve) => {
    const machine = setup({ types: { events: {} as ReviewEvent }, actors: { review: logic } }).createMachine({
      invoke: { src: "review", input: { callId: "c", name, input, mode: "code", permissions } },
      on: { "call.reviewed": { actions: ({ event }) => resolve(event) } },
    });
    createActor(machine).start();
  });
  expect(event.callId).toBe("c");
  return event.review;
}
const errorOf = (it: Review): string => (it.valid ? "" : it.error);

describe("a tool call is reviewed", () => {
  test("with its digest, effect, text and verdict, and with facts for the person who is asked", async () => {
    expect(await review("read_file", { path: "a" })).toEqual({
      valid: true,
      digest: digestOf("read_file", { path: "a" }),
      revision: 0,
      effect: "reads",
      replayable: true,
      text: expect.stringContaining('"tool":"readFile"'),
      verdict: { kind: "ask" },
      facts: { paths: [{ path: "a", real: expect.stringMatching(/a$/), inside: true }] },
    });
  });

  test("by a policy that knows the shell", async () => {
    const tools = builtinTools();
    const policy: Policy = (_, { shell }) => ({ kind: "allow", rule: `shell ${shell}` });
    const workspace = await openWorkspace(root);
    const own = await reviewed(
      { tools, head, policy, workspace, shell: { ...shell, program: "/bin/dash" } },
      "update_todo_list",
      {
        todos: "",
      },
    );
    expect(own).toMatchObject({ verdict: { rule: "shell /bin/dash" } });
  });

  test("without facts where nobody is asked", async () => {
    expect(await review("read_file", { path: "a" }, allowEverything())).not.toHaveProperty("facts");
  });

  test("with the same digest under an alias", async () => {
    const input = { path: "a", content: "b" };
    expect(await review("write_file", input)).toEqual(await review("write_to_file", input));
  });

  test("as invalid if the tool is unknown, with the offered ones", async () => {
    const error = errorOf(await review("reed_file", {}));
    expect(error).toMatch(
      /^Unknown tool 'reed_file'\. The tools are: read_file, list_files, .*update_todo_list\.$/,
    );
    expect(errorOf(await review("__proto__", {}))).toContain("Unknown tool");
    // The name is cut within a character.
    expect(errorOf(await review(`a${"👋".repeat(100)}`, {})).isWellFormed()).toBe(true);
  });

  test("as invalid if its arguments are invalid", async () => {
    expect(errorOf(await review("read_file", {}))).toContain("'path': expected a string");
  });

  test("L9: as invalid if the path of a file tool is outside or ignored, even if the policy allows it", async () => {
    await writeFile(path.join(root, ".rooignore"), "secret");
    for (const name of ["read_file", "write_to_file", "list_files", "apply_diff", "search_files"]) {
      const input = { path: "../x", content: "", diff: "d", regex: "r" };
      const args = Object.fromEntries(
        Object.entries(input).filter(([key]) => key === "path" || argumentsOf(name).includes(key)),
      );
      const outside = await review(name, args, allowEverything());
      expect(errorOf(outside)).toContain("'../x' is outside the workspace");
      expect(outside).not.toHaveProperty("ignored");
      const ignored = await review(name, { ...args, path: "./secret" }, allowEverything());
      expect(errorOf(ignored)).toContain("blocked by .rooignore");
      expect(ignored).toMatchObject({ ignored: "secret" });
    }
  });

  test("as invalid if its description or the policy throws", async () => {
    const broken = defineTool({
      name: "broken",
      description: "",
      inputSchema: z.object({}),
      effect: "none",
      execute: () => "",
      describe: () => {
        throw new Error("boom");
      },
    });
    expect(errorOf(await review("broken", {}, allowEverything(), [broken]))).toBe(
      "The call of broken could not be reviewed: Error: boom",
    );
    const policy = (): never => {
      throw new Error("bang");
    };
    expect(errorOf(await review("read_file", { path: "a" }, policy))).toContain("Error: bang");
  });

  test("with the file that it changes by a diff, also where the diff does not fit", async () => {
    await writeFile(path.join(root, "a.txt"), "one\n");
    const diff = (search: string) => `<<<<<<< SEARCH\n${search}\n=======\ntwo\n>>>>>>> REPLACE`;
    const fits = await review("apply_diff", { path: "./a.txt", diff: diff("one") });
    expect(fits).toMatchObject({ valid: true, patches: "a.txt" });
    const failed = await review("apply_diff", { path: "b/../a.txt", diff: diff("three") });
    expect(failed).toMatchObject({ valid: false, patches: "a.txt" });
    expect(errorOf(failed)).toMatch(/^Block 1 of the diff doesn't match/);
    expect(await review("apply_diff", { path: "gone.txt", diff: diff("one") })).toMatchObject({
      valid: false,
      patches: "gone.txt",
    });
    for (const [name, input] of [
      ["write_to_file", { path: "a.txt", content: "" }],
      ["apply_diff", { path: "a.txt" }],
      ["apply_diff", { path: "../a.txt", diff: diff("one") }],
    ] as const)
      expect(await review(name, input)).not.toHaveProperty("patches");
  });

  test("with at most 4,096 characters of that file's name, and only of a tool that writes", async () => {
    const patching = (effect: "writes" | "reads", describe: () => string): Tool =>
      defineTool({
        name: "patch",
        description: "",
        inputSchema: z.object({}),
        effect,
        patches: () => "x".repeat(5_000),
        describe,
        execute: () => "",
      });
    const writes = await review("patch", {}, askAPerson(), [patching("writes", () => "{}")]);
    expect(writes).toMatchObject({ patches: "x".repeat(4_096) });
    const reads = await review("patch", {}, askAPerson(), [patching("reads", () => "{}")]);
    expect(reads).not.toHaveProperty("patches");
    const broken = patching("writes", () => {
      throw new Error("boom");
    });
    expect(await review("patch", {}, askAPerson(), [broken])).toEqual({
      valid: false,
      error: "The call of patch could not be reviewed: Error: boom",
      text: '{"tool":"patch","content":"{}"}',
    });
  });

  test("with the text of the whole call where it is invalid, also of an unknown tool", async () => {
    expect(await review("nothing", { cents: 4900 })).toMatchObject({
      valid: false,
      text: JSON.stringify({ tool: "nothing", content: JSON.stringify({ cents: 4900 }, undefined, 2) }),
    });
    expect(await review("read_file", { path: "../secret.txt" })).toMatchObject({
      valid: false,
      text: expect.stringContaining("../secret.txt"),
    });
  });

  test("L7: with the verdict ask for a question or completion, unless it is denied", async () => {
    for (const [name, input] of [
      ["attempt_completion", { result: "done" }],
      ["ask_followup_question", { question: "q", follow_up: [{ text: "a" }] }],
    ] as const) {
      expect(await review(name, input, allowEverything())).toMatchObject({
        valid: true,
        verdict: { kind: "ask" },
      });
      const deny = (): Verdict => ({ kind: "deny", rule: "no", reason: "none" });
      expect(await review(name, input, deny)).toMatchObject({ verdict: { kind: "deny" } });
      expect(await review(name, input, denyEverything())).toMatchObject({ verdict: { kind: "ask" } });
    }
    expect(await review("read_file", { path: "a" }, allowEverything())).toMatchObject({
      verdict: { kind: "allow" },
    });
  });

  test("as invalid if its arguments are nested too deeply", async () => {
    let deep: Record<string, unknown> = {};
    for (let depth = 0; depth < 100_000; depth += 1) deep = { deep };
    expect(errorOf(await review("read_file", { path: "a", deep }))).toContain(
      "could not be reviewed: RangeError",
    );
  });
});

describe("L7: the digest", () => {
  test("is equal exactly if name and arguments are equal, in any key order", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (a, b) => {
          const reversed = Object.fromEntries(Object.entries(a).reverse());
          expect(digestOf("t", reversed)).toBe(digestOf("t", a));
          expect(digestOf("u", a)).not.toBe(digestOf("t", a));
          const sorted = (value: unknown): string =>
            JSON.stringify(value, (_key, inner: unknown) =>
              typeof inner === "object" && inner !== null && !Array.isArray(inner)
                ? Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1))
                : inner,
            );
          if (sorted(a) !== sorted(b)) expect(digestOf("t", b)).not.toBe(digestOf("t", a));
        },
      ),
    );
  });

  test("changes if text moves between name and arguments", () => {
    expect(digestOf('t","input":{}', {})).not.toBe(digestOf("t", {}));
  });
});

function argumentsOf(name: string): readonly string[] {
  const schema = builtinTools().find((tool) => tool.name === name)?.inputSchema;
  return Object.keys(z.object({ properties: z.record(z.string(), z.unknown()) }).parse(schema).properties);
}
