import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { allowEverything } from "../../../tools/index.ts";
import { DONE, openRig, PIXEL } from "../../support/host.ts";
import { Crash, completes, openSubtaskRig, QUESTION, scriptByMode, subtask } from "../../support/subtasks.ts";
import { collect, treeOf } from "./collector.ts";

const WRITE = '{ tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }';
const MODEL = "claude-sonnet-4-5";

test("a task has a span for its work, each turn, request and running call, and each wait for an answer", async () => {
  await using rig = await openRig({ script: `[${WRITE}, { text: Good. }]` });
  const { spans } = collect(rig.host);
  const run = rig.task.run("Do it");
  (await rig.ask("tool")).approve();
  await run;
  expect(treeOf(spans())).toEqual([
    "invoke_agent signalbox",
    "  turn",
    `    chat ${MODEL}`,
    "    ask tool",
    "    execute_tool write_to_file",
    "  turn",
    `    chat ${MODEL}`,
  ]);
});

test("spans have the attributes of the conventions, and by default nothing of the conversation", async () => {
  const secret = "hidden-text";
  const write = `{ tool: write_to_file, input: { path: ${secret}.txt, content: ${secret} } }`;
  const usage =
    "usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 }";
  await using rig = await openRig({
    script: `[{ blocks: [${write}], ${usage} }, { text: ${secret} }]`,
    policy: allowEverything(),
  });
  const { spans } = collect(rig.host, { agentName: "reviewer" });
  await rig.task.run(secret, { images: [PIXEL] });
  const attributes = spans().map((span) => ({ name: span.name, ...span.attributes }));
  const conversation = { "gen_ai.conversation.id": rig.task.id };
  const model = { "gen_ai.provider.name": "anthropic", "gen_ai.request.model": MODEL };
  expect(attributes.find(({ name }) => name === "invoke_agent reviewer")).toEqual({
    name: "invoke_agent reviewer",
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "reviewer",
    "signalbox.task.state": "idle.completing",
    ...conversation,
    ...model,
  });
  expect(attributes.find(({ name }) => name.startsWith("chat"))).toEqual({
    name: `chat ${MODEL}`,
    "gen_ai.operation.name": "chat",
    "gen_ai.usage.input_tokens": 15,
    "gen_ai.usage.output_tokens": 5,
    "gen_ai.usage.cache_read.input_tokens": 3,
    "gen_ai.usage.cache_write.input_tokens": 2,
    "gen_ai.response.finish_reasons": ["tool_use"],
    ...conversation,
    ...model,
  });
  expect(attributes.find(({ name }) => name.startsWith("execute_tool"))).toEqual({
    name: "execute_tool write_to_file",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "write_to_file",
    "gen_ai.tool.call.id": expect.stringMatching(/^toolu_/),
    "signalbox.call.outcome": "done",
    ...conversation,
  });
  expect(JSON.stringify(attributes)).not.toContain(secret);
});

test("spans have the conversation, arguments and results where that is enabled, bounded", async () => {
  await using rig = await openRig({ script: `[${WRITE}, { text: Good. }]`, policy: allowEverything() });
  const { spans } = collect(rig.host, { contentChars: 400 });
  await rig.task.run(`Do it ${"x".repeat(500)}`);
  const [first, call, second] = spans().filter(({ name }) => /^(chat|execute)/.test(name));
  // The prompt is longer than the limit.
  expect(first?.attributes["gen_ai.input.messages"]).toBe("[]");
  const parts = [
    {
      type: "tool_call",
      id: "toolu_1",
      name: "write_to_file",
      arguments: { path: "a.txt", content: "hi\n" },
    },
  ];
  expect(first?.attributes["gen_ai.output.messages"]).toBe(JSON.stringify([{ role: "assistant", parts }]));
  expect(call?.attributes["gen_ai.tool.call.arguments"]).toBe('{"path":"a.txt","content":"hi\\n"}');
  expect(call?.attributes["gen_ai.tool.call.result"]).toContain("a.txt");
  expect(second?.attributes["gen_ai.output.messages"]).toBe(
    '[{"role":"assistant","parts":[{"type":"text","content":"Good."}]}]',
  );
});

test("a failed request and a failed call have their code, and each retry a turn of its own", async () => {
  const read = "{ tool: read_file, input: { path: none.txt } }";
  await using rig = await openRig({ script: `[{ status: 529 }, ${read}, ${DONE}]` });
  const { spans } = collect(rig.host);
  await rig.task.run("Do it");
  expect(treeOf(spans())).toEqual([
    "invoke_agent signalbox",
    "  turn",
    `    chat ${MODEL} (overloaded_error)`,
    "  turn",
    `    chat ${MODEL}`,
    "    execute_tool read_file (failed)",
    "  turn",
    `    chat ${MODEL}`,
  ]);
});

test("a cancel ends all spans at once, with the state in which the task settled", async () => {
  await using rig = await openRig({ script: `[{ text: Well, delayMs: 1000000 }]` });
  const { spans } = collect(rig.host);
  const run = rig.task.run("Do it");
  await rig.until(({ commit }) => commit.after === "streaming.receiving");
  rig.task.cancel();
  await run;
  expect(treeOf(spans())).toEqual(["invoke_agent signalbox", "  turn", `    chat ${MODEL}`]);
  expect(spans().at(-1)?.attributes["signalbox.task.state"]).toBe("resumable");
});

test("a task that is resumed in another process continues its trace", async () => {
  await using rig = await openSubtaskRig(`[${QUESTION}, ${DONE}]`);
  const first = collect(rig.host);
  const run = rig.task.run("Do it");
  await rig.ask("question");
  const crash = new Crash(rig);
  rig.task.cancel();
  await run;
  await using copy = await crash.open();
  const second = collect(copy.host);
  await copy.task.run("Go on");
  const [one, other] = [first, second].map(({ spans }) => spans().at(-1));
  expect(other?.name).toBe("invoke_agent signalbox");
  expect(other?.spanContext().traceId).toBe(one?.spanContext().traceId);
  expect(other?.parentSpanContext).toEqual(one?.parentSpanContext);
});

test("a subtask is an agent of its own in the turn that waits for it", async () => {
  const script = scriptByMode(
    { mode: "code", after: "new_task", turn: completes("All done.") },
    { mode: "code", turn: subtask("ask") },
    { mode: "ask", turn: completes("One done.") },
  );
  await using rig = await openSubtaskRig(script);
  const { spans } = collect(rig.host);
  await rig.task.run("Do it");
  expect(treeOf(spans())).toEqual([
    "invoke_agent signalbox",
    "  turn",
    `    chat ${MODEL}`,
    "    invoke_agent signalbox",
    "      turn",
    `        chat ${MODEL}`,
    "  turn",
    `    chat ${MODEL}`,
  ]);
});

test("a running call has a context, in which its trace continues elsewhere", async () => {
  await using rig = await openRig({
    script: `[{ tool: execute_command, input: { command: exec sleep 1000 } }]`,
    policy: allowEverything(),
  });
  const { telemetry, spans } = collect(rig.host, { parent: () => ROOT_CONTEXT });
  expect(telemetry.contextOf(rig.task.id)).toBeUndefined();
  const run = rig.task.run("Do it");
  const { snapshot } = await rig.until(({ commit }) => commit.calls.some(({ phase }) => phase === "running"));
  const context = telemetry.contextOf(rig.task.id, snapshot.context.turn.calls[0]?.callId);
  rig.task.cancel();
  await run;
  const call = spans().find(({ name }) => name === "execute_tool execute_command");
  expect(call?.spanContext()).toEqual(context && trace.getSpanContext(context));
  // Of the parent that the option names.
  expect(spans().at(-1)?.parentSpanContext).toBeUndefined();
});

test("a closed task and closed telemetry leave no span open, and the host works on", async () => {
  await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
  const { telemetry, spans } = collect(rig.host);
  const run = rig.task.run("Do it");
  const question = await rig.ask("question");
  telemetry.close();
  const ended = treeOf(spans());
  expect(ended).toEqual(["invoke_agent signalbox", "  turn", `    chat ${MODEL}`, "    ask followup"]);
  question.answer("left");
  expect((await run).result).toBe("Done.");
  expect(treeOf(spans())).toEqual(ended);
});

test("requests are counted by duration and tokens, without ids", async () => {
  await using rig = await openRig({
    script: `[{ text: Good., usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 1 } }]`,
  });
  const collector = collect(rig.host);
  await rig.task.run("Do it");
  const [duration, tokens] = await collector.metrics();
  const model = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": MODEL,
  };
  expect(duration?.descriptor).toMatchObject({ name: "gen_ai.client.operation.duration", unit: "s" });
  expect(duration?.dataPoints.map(({ attributes }) => attributes)).toEqual([model]);
  expect(tokens?.descriptor).toMatchObject({ name: "gen_ai.client.token.usage", unit: "{token}" });
  expect(tokens?.dataPoints).toMatchObject([
    { attributes: { ...model, "gen_ai.token.type": "input" }, value: { count: 1, sum: 11 } },
    { attributes: { ...model, "gen_ai.token.type": "output" }, value: { count: 1, sum: 5 } },
  ]);
  await collector.close();
});
