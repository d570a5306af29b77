import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../../tools/index.ts";
import { DONE, openRig, type Rig, type RigOptions } from "../../support/host.ts";

const turn = (name: string, input: object): string => JSON.stringify({ tool: name, input });

/** A task that asks about this call. */
async function askingRig(name: string, input: object, options: RigOptions = {}): Promise<Rig> {
  const rig = await openRig({ script: `[${turn(name, input)}, ${DONE}]`, ...options });
  rig.task.run("Do it").catch(() => undefined);
  return rig;
}

describe("an approval ask has its call", () => {
  test("an edit: the tool, its effect and arguments, the path and the unified diff", async () => {
    const diff = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE";
    const input = { path: "./a.txt", diff };
    await using rig = await askingRig("apply_diff", input, { files: { "a.txt": "one\ntwo\n" } });
    expect(await rig.ask("tool")).toMatchObject({
      tool: { name: "apply_diff", effect: "writes", input },
      paths: [{ path: "a.txt", real: expect.stringMatching(/a\.txt$/), inside: true }],
      diff: "@@ -1,2 +1,2 @@\n one\n-two\n+2",
    });
  });

  test.each([
    ["that replaces a file", { "a.txt": "old\n" }, "@@ -1,1 +1,1 @@\n-old\n+new"],
    ["that creates a file", {}, "@@ -0,0 +1,1 @@\n+new"],
    ["that replaces a binary file", { "a.txt": "\0" }, "[A binary file is replaced.]"],
  ])("a write %s: the diff", async (_, files, diff) => {
    const input = { path: "a.txt", content: "new\n" };
    await using rig = await askingRig("write_to_file", input, { files });
    const ask = await rig.ask("tool");
    expect(ask).toMatchObject({ tool: { name: "write_to_file" }, diff });
    expect(ask.command).toBeUndefined();
  });

  test("a command: the command line and its working directory", async () => {
    await using rig = await askingRig(
      "execute_command",
      { command: "echo hi", cwd: "sub" },
      {
        files: { "sub/a.txt": "" },
      },
    );
    expect(await rig.ask("command")).toMatchObject({
      tool: { name: "execute_command", effect: "executes" },
      command: "echo hi",
      paths: [{ path: "sub", inside: true }],
    });
  });

  test("a tool of the embedder: paths outside of the workspace are marked, its arguments are a copy (L7)", async () => {
    let given: unknown;
    const deploy = defineTool({
      name: "deploy",
      description: "Deploys.",
      inputSchema: z.object({ to: z.object({ hosts: z.array(z.string()) }) }),
      effect: "executes",
      describe: async (_, { workspace }) => ({
        text: "Deploy",
        paths: [await workspace.resolve("/etc")],
        command: "deploy --all",
      }),
      execute: (input) => {
        given = input;
        return "Deployed.";
      },
    });
    const input = { to: { hosts: ["one"] } };
    await using rig = await askingRig("deploy", input, { tools: [deploy] });
    const end = rig.task.settled();
    const ask = await rig.ask("tool");
    expect(ask.paths).toMatchObject([{ path: "/etc", inside: false }]);
    expect(ask.command).toBe("deploy --all");
    expect(ask.tool?.input).toEqual(input);
    expect(() => Object.assign(ask.tool?.input.to ?? {}, { hosts: ["another"] })).toThrow(TypeError);
    ask.approve();
    await end;
    expect(given).toEqual(input);
  });

  test("a tool that describes nothing: its arguments and no paths", async () => {
    const wait = defineTool({
      name: "roll",
      description: "Rolls.",
      inputSchema: z.object({}),
      effect: "executes",
      execute: () => "3",
    });
    await using rig = await askingRig("roll", {}, { tools: [wait] });
    const ask = await rig.ask("tool");
    expect(ask.tool).toEqual({ name: "roll", effect: "executes", input: {} });
    expect(ask.paths).toEqual([]);
    expect(ask).not.toHaveProperty("diff");
  });

  test("a long diff is cut at 128 KB, with a mark", async () => {
    const content = `${"long ".repeat(100)}\n`.repeat(1000);
    await using rig = await askingRig("write_to_file", { path: "a.txt", content });
    const { diff = "" } = await rig.ask("tool");
    expect(diff.length).toBeLessThan(129 * 1024);
    expect(diff).toMatch(/\[\.\.\. \d+ bytes cut\]$/);
  });

  test("the same after the task was passive", async () => {
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new\n" });
    await rig.ask("tool");
    await rig.task.flushed();
    await rig.task.passivate();
    // Another reader than the one before: its ask is created again where nobody holds it.
    const [ask] = rig.task.asks;
    expect(ask).toMatchObject({
      tool: { name: "write_to_file", effect: "writes", input: { path: "a.txt", content: "new\n" } },
      paths: [{ path: "a.txt", inside: true }],
      diff: "@@ -0,0 +1,1 @@\n+new",
    });
  });
});

describe("a completion ask has the result", () => {
  test.each([
    ["of the tool", `[${DONE}]`],
    ["of a response without a tool call", "[{ text: Done. }]"],
  ])("%s, also after it was accepted", async (_, script) => {
    await using rig = await openRig({ script });
    await rig.task.run("Do it");
    const ask = await rig.ask("completion");
    expect(ask).toMatchObject({ text: "", result: "Done.", accepts: ["yes", "no", "text"] });
    ask.approve();
    await rig.task.flushed();
    expect(rig.task.asks).toMatchObject([{ result: "Done.", accepts: ["text"] }]);
  });
});
