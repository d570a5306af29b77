import { expect, test } from "vitest";
import { z } from "zod";
import { builtinTools, byRules, defineTool } from "../../tools/index.ts";
import { openRig, type Rig, resultsOf } from "../support/host.ts";
import { serve } from "../tools/builtin/web-server.ts";

const call = (tool: string, input: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ tool, input });

/** A tool for the tools of MCP servers, as an embedder defines it. */
const useMcpTool = defineTool({
  name: "use_mcp_tool",
  group: "mcp",
  ask: "use_mcp_server",
  description: "Uses a tool of an MCP server.",
  inputSchema: z.object({ server: z.string(), tool: z.string() }),
  effect: "executes",
  describe: ({ server, tool }) => ({ text: `${server}/${tool}`, paths: [], mcp: { server, tool } }),
  execute: ({ server, tool }) => `used ${tool} of ${server}`,
});

const resultsIn = (rig: Rig): readonly string[] => rig.sent().flatMap((messages) => resultsOf(messages));

test("rules for MCP tools allow, deny and ask about the calls of a defined tool", async () => {
  const script = ["git/log", "git/push", "files/get", "files/list"].map((named) => {
    const [server, tool] = named.split("/");
    return call("use_mcp_tool", { server, tool });
  });
  await using rig = await openRig({
    script: `[${script.join(", ")}, { text: Done. }]`,
    tools: [...builtinTools(), useMcpTool],
    policy: byRules({ sources: [{ origin: "s", allow: ["mcp(git/*)"], deny: ["mcp(*/push)"] }] }),
  });
  const end = rig.task.run("Go");
  const ask = await rig.ask("mcp");
  expect(ask).toMatchObject({ text: "files/get", rules: ["mcp(files/get)", "mcp(files/*)"] });
  ask.approve({ rule: "mcp(files/*)" });
  await end;
  expect(resultsIn(rig)).toEqual([
    "used log of git",
    expect.stringContaining("'push' of the server 'git' is not permitted"),
    "used get of files",
    "used list of files",
  ]);
});

test("a fetch is asked about even in plan, and the host is allowed from then on; another host is not", async () => {
  await using page = await serve((_, response) =>
    response.writeHead(200, { "content-type": "text/plain" }).end("text"),
  );
  const urls = [`http://127.0.0.1:${page.port}/a`, `http://127.0.0.1:${page.port}/b`, "https://example.com/"];
  await using rig = await openRig({
    script: `[${urls.map((url) => call("web_fetch", { url })).join(", ")}, { text: Done. }]`,
    tools: builtinTools({ webFetch: { allowPrivate: ["127.0.0.1"] } }),
    policy: byRules({ sources: [] }),
    permissions: { level: "plan" },
  });
  const end = rig.task.run("Go");
  const first = await rig.ask("tool");
  expect(JSON.parse(first.text)).toEqual({ tool: "webFetch", host: "127.0.0.1", url: urls[0] });
  expect(page.connections).toBe(0);
  first.approve({ rule: first.rules[0] ?? "" });
  const second = await rig.ask("tool");
  expect(second).toMatchObject({ rules: ["fetch(example.com)"] });
  expect(page.requests).toEqual(["/a", "/b"]);
  second.reject();
  await end;
});
