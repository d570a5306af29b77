import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { connectMcp, type McpServers } from "../../../adapters/mcp/servers.ts";
import type { HostOptions } from "../../../runtime/options.ts";
import { allowEverything } from "../../../tools/index.ts";
import { openRig, type Rig, resultsOf } from "../../support/host.ts";
import { rawServer } from "../../support/mcp/servers.ts";
import { Crash, completes, MODES, scriptByMode, subtask } from "../../support/subtasks.ts";
import { collect } from "./collector.ts";

const META = "{ tool: raw__meta, input: {} }";

/** A server whose tool `meta` returns the `_meta` of its call. */
async function openServers(): Promise<McpServers> {
  const mcp = await connectMcp({ servers: { raw: rawServer() }, limits: { exitGraceMs: 500 } });
  onTestFinished(() => mcp.close());
  return mcp;
}

/** The `_meta` that the server got, in the order of the calls. */
const received = (rig: Rig): readonly Readonly<Record<string, unknown>>[] =>
  rig
    .sent()
    .flatMap(resultsOf)
    .filter((result) => result.startsWith("{"))
    .map((result) => z.record(z.string(), z.unknown()).parse(JSON.parse(result)));

const traceparentsOf = (spans: readonly ReadableSpan[]): readonly string[] =>
  spans
    .filter(({ name }) => name === "execute_tool raw__meta")
    .map((span) => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`);

test("a call of an MCP server carries its span, in subtasks and after its task is reopened, in one trace", async () => {
  const mcp = await openServers();
  const script = scriptByMode(
    { mode: "code", after: "raw__meta", turn: completes("Done.") },
    { mode: "code", after: "new_task", turn: META },
    { mode: "code", after: "attempt_completion", turn: subtask("ask") },
    { mode: "code", turn: subtask("ask") },
    { mode: "ask", after: "raw__meta", turn: completes("One done.") },
    { mode: "ask", turn: META },
  );
  const options = { permissions: { judge: allowEverything() }, modes: MODES, dynamicTools: mcp.tools };
  const traceContext: HostOptions["traceContext"] = (...call) => first.telemetry.traceContextOf(...call);
  await using rig = await openRig({ script, ...options, host: { traceContext } });
  const first = collect(rig.host);
  await rig.task.run("Do it");
  await using copy = await new Crash(rig).open(options, {
    traceContext: (...call) => second.telemetry.traceContextOf(...call),
  });
  const second = collect(copy.host);
  await copy.task.run("Again");

  const traceparents = received(rig).map(({ traceparent }) => traceparent);
  // Each run has a call of a subtask, then one of the task.
  expect(traceparents).toHaveLength(4);
  expect(traceparents).toEqual(traceparentsOf([...first.spans(), ...second.spans()]));
  expect(new Set(traceparents.map((each) => String(each).slice(0, 35))).size).toBe(1);
});

test("a call of an MCP server carries no trace without telemetry", async () => {
  const mcp = await openServers();
  const script = `[${META}, { text: Done. }]`;
  await using rig = await openRig({ script, policy: allowEverything(), dynamicTools: mcp.tools });
  await rig.task.run("Do it");
  expect(received(rig)).toEqual([{ progressToken: expect.anything() }]);
});
