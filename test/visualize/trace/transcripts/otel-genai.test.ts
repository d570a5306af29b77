import { describe, expect, test } from "vitest";
import { readTranscripts } from "../../../../visualize/trace/transcripts/read-transcripts.ts";
import { fixture } from "./fixtures.ts";
import { problemsOf } from "./shown-problems.ts";

const { transcripts, problems } = readTranscripts([fixture("otel-genai.jsonl")]);
const [orders, shipping] = transcripts;

describe("a trace of OpenTelemetry", () => {
  test("is a session with the name of its agent and the version of the conventions, and no problem", () => {
    expect(problems).toEqual([]);
    expect(orders).toMatchObject({
      format: { name: "OpenTelemetry GenAI", version: "1.41.0" },
      title: "Orders",
      taskId: "0af7651916cd43dd8448eb211c80319c",
    });
  });

  test("has an agent that another one invokes as a subtask of the tool call", () => {
    expect(shipping).toMatchObject({
      title: "Shipping",
      parent: { taskId: orders?.taskId, callId: "call_o2" },
    });
    expect(orders?.entries).toContainEqual(
      expect.objectContaining({ kind: "call", id: "call_o2", childId: shipping?.taskId }),
    );
  });

  test("has the failed tool as a problem, and each result once", () => {
    expect(problemsOf(orders)).toEqual(["query_orders late: The database did not answer."]);
    const results = orders?.entries.flatMap((entry) => (entry.kind === "result" ? [entry.callId] : []));
    expect(results).toEqual(["call_o1", "call_o2"]);
  });

  test("has the usage without what was read from the cache, and shows other operations as they are", () => {
    expect(orders?.entries).toContainEqual(
      expect.objectContaining({
        kind: "response",
        model: { provider: "openai", id: "gpt-5.2" },
        usage: { tokensIn: 100, tokensOut: 20, cacheReads: 400, cacheWrites: 0, cost: null },
      }),
    );
    expect(orders?.entries.flatMap((entry) => (entry.kind === "raw" ? [entry.type] : []))).toEqual([
      "embeddings",
    ]);
  });

  test("is read as one JSON document, with spans that are each other's parents", () => {
    const span = (spanId: string, parentSpanId: string) => ({
      traceId: "t",
      spanId,
      parentSpanId,
      startTimeUnixNano: 1_793_700_000_000_000_000,
      attributes: [{ key: "gen_ai.operation.name", value: { stringValue: "invoke_agent" } }],
    });
    const spans = [span("a", "b"), span("b", "a")];
    const content = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }, undefined, 2);
    expect(readTranscripts([{ name: "t.json", content }]).transcripts.length).toBeGreaterThan(0);
  });

  test("is read from one long line, and a trace without spans of generative AI is a problem", () => {
    const attributes = [
      { key: "gen_ai.operation.name", value: { stringValue: "x".repeat(5 * 1024 * 1024) } },
    ];
    const trace = (span: object) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    const read = (content: string) => readTranscripts([{ name: "t.json", content }]);
    expect(read(trace({ spanId: "a", attributes }))).toMatchObject({ transcripts: [{}], problems: [] });
    const what = "expected at least one session, found none";
    expect(read(trace({ spanId: "a" }))).toEqual({ transcripts: [], problems: [{ where: "t.json", what }] });
  });
});
