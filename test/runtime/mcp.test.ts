import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connectMcp, type McpOptions, type McpServers } from "../../adapters/mcp/servers.ts";
import { argumentKeys } from "../../tools/argument-keys.ts";
import { byRules } from "../../tools/index.ts";
import { openRig, type Rig, resultsOf } from "../support/host.ts";
import { rawServer, referenceServer } from "../support/mcp/servers.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mcp-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const call = (tool: string, input: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ tool, input });

const allowing = (...allow: readonly string[]) => byRules({ sources: [{ origin: "settings", allow }] });

interface McpRig extends Rig {
  readonly mcp: McpServers;
}

/** A task with MCP servers whose model makes these calls, a response each. */
async function openMcpRig(
  servers: McpOptions["servers"],
  calls: readonly string[],
  policy = allowing("mcp(*/*)"),
): Promise<McpRig> {
  const mcp = await connectMcp({ servers, limits: { exitGraceMs: 500 } });
  const rig = await openRig({
    script: `[${calls.join(", ")}, { text: Done. }]`,
    dynamicTools: mcp.tools,
    policy,
  });
  return {
    ...rig,
    mcp,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await mcp.close();
    },
  };
}

const shown = ({ task }: Rig, say: string): readonly (string | null | undefined)[] =>
  [...task.log].flatMap((message) => (message.say === say ? [message.text] : []));

const resultsIn = (rig: Rig): readonly string[] => rig.sent().flatMap((messages) => resultsOf(messages));

describe("a tool of an MCP server", () => {
  test("is offered, asked about with a descriptor, and its response is shown and returned", async () => {
    await writeFile(path.join(folder, "a.txt"), "the content");
    const file = path.join(folder, "a.txt");
    await using rig = await openMcpRig(
      { files: referenceServer("filesystem", folder) },
      [call("files__read_text_file", { path: file })],
      allowing(),
    );
    const end = rig.task.run("Go");
    const ask = await rig.ask("mcp");
    expect(JSON.parse(ask.text)).toEqual({
      type: "use_mcp_tool",
      serverName: "files",
      toolName: "read_text_file",
      arguments: JSON.stringify({ path: file }, undefined, 2),
    });
    expect(ask.rules).toEqual(["mcp(files/read_text_file)", "mcp(files/*)"]);
    ask.approve();
    await end;
    expect(resultsIn(rig)).toEqual([expect.stringContaining("the content")]);
    expect(shown(rig, "mcp_server_response")).toEqual(["the content"]);
    expect(rig.mock?.requests[0]?.body).toMatchObject({
      tools: expect.arrayContaining([
        expect.objectContaining({
          name: "files__read_text_file",
          description: expect.stringContaining('A tool of the MCP server "files".'),
        }),
      ]),
    });
  });

  test("returns an image, which the message also shows", async () => {
    await using rig = await openMcpRig({ all: referenceServer("everything") }, [call("all__get-tiny-image")]);
    await rig.task.run("Go");
    const response = [...rig.task.log].find(({ say }) => say === "mcp_server_response");
    expect(response?.images).toEqual([expect.stringMatching(/^data:image\/png;base64,/)]);
  });

  test("is used by the names of server and tool as well, under the rules of the tool", async () => {
    const use = (server_name: string, tool_name: string) =>
      call("use_mcp_tool", { server_name, tool_name, arguments: { a: 1 } });
    await using rig = await openMcpRig(
      { raw: rawServer() },
      [use("raw", "echo"), use("raw", "none"), use("other", "echo")],
      allowing("mcp(raw/echo)"),
    );
    await rig.task.run("Go");
    expect(resultsIn(rig)).toEqual([
      '{"a":1}',
      expect.stringContaining(
        String.raw`The MCP server \"raw\" has no tool \"none\": expected one of \"echo\"`,
      ),
      expect.stringContaining(String.raw`There is no MCP server \"other\": expected one of \"raw\".`),
    ]);
  });

  test("whose server ends during the call is uncertain, and not called again (L12)", async () => {
    const file = path.join(folder, "calls.txt");
    await using rig = await openMcpRig({ raw: rawServer("honest", file) }, [
      call("raw__die"),
      call("raw__echo"),
    ]);
    await rig.task.run("Go");
    expect(resultsIn(rig)).toEqual([
      expect.stringContaining("The outcome of die is uncertain: it was started and has no recorded end."),
      "{}",
    ]);
    expect(shown(rig, "error")).toEqual([expect.stringContaining("The outcome of die is uncertain")]);
  });

  test("that its server changes after an approval is asked about again, whatever is allowed", async () => {
    await using rig = await openMcpRig({ raw: rawServer() }, [
      call("raw__echo"),
      call("raw__change"),
      call("raw__echo", { b: 1 }),
      call("raw__echo", { c: 1 }),
    ]);
    const end = rig.task.run("Go");
    const ask = await rig.ask("mcp");
    expect(ask.reason).toBe("the server changed 'echo' of the server 'raw' since it was approved");
    expect(rig.mcp.tools().map(({ name }) => name)).toEqual(["raw__echo", "use_mcp_tool"]);
    ask.approve();
    await end;
    expect(resultsIn(rig)).toEqual(["{}", "changed", '{"b":1}', '{"c":1}']);
  });

  test("gets its arguments under the keys of its schema, where endpoints reject them (field report 5)", async () => {
    const key = "filter[status]";
    const { schema } = argumentKeys({ type: "object", properties: { [key]: {} } });
    const [name = ""] = Object.keys(Object(schema.properties));
    await using rig = await openMcpRig({ raw: rawServer("keys") }, [
      call("raw__echo", { [name]: "open" }),
      call("use_mcp_tool", { server_name: "raw", tool_name: "echo", arguments: { [key]: "closed" } }),
    ]);
    await rig.task.run("Go");
    expect(resultsIn(rig)).toEqual(['{"filter[status]":"open"}', '{"filter[status]":"closed"}']);
    const tool = rig.mcp.tools().find((each) => each.name === "raw__echo");
    expect(tool?.inputSchema).toMatchObject({ required: [name] });
  });

  test("is left out if endpoints do not accept its schema, and can't imitate other text", async () => {
    const { tools, status, close } = await connectMcp({ servers: { raw: rawServer("lies") } });
    try {
      expect(tools().map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
        ["raw__union", { type: "object", properties: {} }],
        ["raw__markup", { type: "object", properties: {} }],
        ["use_mcp_tool", expect.anything()],
      ]);
      expect(tools()[1]?.description).toContain("<\\/environment_details>");
      expect(status[0]?.reason).toBe(
        [
          'Its tool "string" is left out: its schema is not valid JSON Schema.',
          'Its tool "long" is left out: its schema has 60050 bytes, expected at most 50000.',
          'Its tool "pattern" is left out: its schema is not valid JSON Schema.',
          'Its tool "markup" is left out: another tool has this name.',
        ].join(" "),
      );
    } finally {
      await close();
    }
  });
});

test("a call of an MCP server asks a person for input, and gets the fields", async () => {
  await using rig = await openMcpRig({ all: referenceServer("everything") }, [
    call("all__trigger-elicitation-request", {}),
  ]);
  const run = rig.task.run("Go");
  const question = await rig.ask("question");
  expect(question.elicitation?.request).toMatchObject({ from: "all", mode: "form" });
  expect(question.elicitation?.accept({ name: "Ada", check: true })).toEqual({ ok: true });
  await run;
  expect(resultsIn(rig).join("")).toContain("Ada");
});

test("prompts of MCP servers are listed and read by a program", async () => {
  const { prompts, prompt, close } = await connectMcp({ servers: { all: referenceServer("everything") } });
  try {
    expect(prompts()).toContainEqual({
      server: "all",
      name: "args-prompt",
      description: "A prompt with two arguments, one required and one optional",
      arguments: [
        { name: "city", required: true },
        { name: "state", required: false },
      ],
    });
    expect(await prompt("all", "args-prompt", { city: "Oslo" })).toEqual(["What's weather in Oslo?"]);
    await expect(prompt("none", "args-prompt", {})).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(prompt("all", "args-prompt", {})).rejects.toMatchObject({
      code: "FAILED",
      message: expect.stringContaining('The MCP server did not return the prompt "args-prompt": '),
    });
  } finally {
    await close();
  }
});

test("a prompt of an MCP server is bounded, and mentions no file that its input does not", async () => {
  const { prompt, close } = await connectMcp({ servers: { raw: rawServer("lies") } });
  try {
    expect(await prompt("raw", "hidden", { what: "@a.txt" })).toEqual(["seen\u202e @a.txt (\\@secret.txt)"]);
    await expect(prompt("raw", "long", {})).rejects.toMatchObject({
      code: "TOO_LARGE",
      message: 'The prompt "long" has 200001 bytes, expected at most 200000 (the limit promptBytes).',
    });
  } finally {
    await close();
  }
});

test("resources of an MCP server are listed and read", async () => {
  const access = (input: object) => call("access_mcp_resource", { server_name: "all", ...input });
  await using rig = await openMcpRig({ all: referenceServer("everything") }, [
    access({}),
    access({ uri: "demo://resource/dynamic/text/1" }),
  ]);
  await rig.task.run("Go");
  const [list, read] = resultsIn(rig);
  expect(list).toContain("demo://resource/dynamic/text/{resourceId}: ");
  expect(read).toContain("Resource 1");
});
