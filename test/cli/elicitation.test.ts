import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { rawServer } from "../support/mcp/servers.ts";
import { installed } from "./installed.ts";
import { StreamProcess } from "./stream/stream-process.ts";
import { openPseudoRun } from "./terminal/pseudo-run.ts";
import { hasPseudoTerminal } from "./terminal/pseudo-terminal.ts";

const box = installed();

const SCRIPT = "[{ tool: raw__ask, input: {} }, { text: Done. }]";
/** What the server gets, as a request to the model has it. */
const ACCEPTED = JSON.stringify(JSON.stringify({ action: "accept", content: { project: "web" } })).slice(
  1,
  -1,
);

const settingsWith = (calls = ""): string =>
  JSON.stringify({ version: 1, mcpServers: { raw: rawServer("honest", calls) } });

/** A process with an MCP server that notes the calls of its tool in `calls`. */
async function openStream() {
  const home = box.newFolder();
  const calls = path.join(home, "calls.txt");
  mkdirSync(path.join(home, "signalbox"));
  writeFileSync(path.join(home, "signalbox/settings.yaml"), settingsWith(calls));
  const env = { XDG_CONFIG_HOME: home };
  const stream = await StreamProcess.start(box, SCRIPT, ["-y"], { env });
  stream.send("start", "s", { prompt: "Go" });
  await stream.event({ subtype: "followup", done: true });
  return { stream, calls, env };
}

test("a request of an MCP server for input is answered by a line on stdin; one that its form does not take is refused", async () => {
  const { stream } = await openStream();
  stream.send("message", "bad", { prompt: '{ "project": "app" }' });
  expect((await stream.refused("bad")).content).toContain('expected one of "web"|"api"');
  stream.send("message", "good", { prompt: '{ "project": "web" }' });
  await stream.event({ type: "result", content: "Done." });
  expect(stream.bodies).toContain(ACCEPTED);
  expect(await stream.process.end()).toBe(0);
});

test("after SIGKILL while a request for input is open, the task asks to resume, and the call is uncertain and not sent again (L12)", async () => {
  const { stream: first, calls, env } = await openStream();
  const { taskId = "" } = await first.event({ type: "control", subtype: "ack" });
  first.process.child.kill("SIGKILL");
  await first.process.code;

  const { workspace } = first;
  const next = await StreamProcess.start(box, SCRIPT, ["-y", "--session-id", taskId], { workspace, env });
  await next.event({ subtype: "resume_task" });
  next.send("message", "m", { prompt: "go on" });
  await next.event({ type: "result", content: "Done." });
  expect(next.bodies).toContain("The outcome of raw__ask is uncertain");
  expect(readFileSync(calls, "utf8")).toBe("asked\n");
  expect(await next.process.end()).toBe(0);
});

test.skipIf(!hasPseudoTerminal)(
  "a request of an MCP server for input is a question of the terminal, which is asked again after fields that its form does not take",
  async () => {
    const { terminal, bodies } = await openPseudoRun(box, SCRIPT, {
      config: { "settings.yaml": settingsWith() },
      args: ["-y"],
    });
    await terminal.shows("raw asks: Which project?");
    await terminal.enter('{ "project": "app" }', 'expected one of "web"|"api"');
    await terminal.asks("Your answer (q quits):");
    await terminal.enter("web", "Done.");
    expect(bodies().join("\n")).toContain(ACCEPTED);
  },
);
