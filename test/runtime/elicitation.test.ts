import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ElicitationAnswer, ElicitationRequest } from "../../machines/message/elicitation.ts";
import { allowEverything, defineTool, type RunPorts, type Tool } from "../../tools/index.ts";
import { openRig } from "../support/host.ts";
import { deferred } from "../support/model.ts";

const FORM: ElicitationRequest = {
  mode: "form",
  from: "tracker",
  message: "Which project?",
  requestedSchema: {
    type: "object",
    properties: { project: { type: "string", enum: ["web", "api"] } },
    required: ["project"],
  },
};
const URL: ElicitationRequest = {
  mode: "url",
  from: "tracker",
  message: "Sign in.",
  url: "https://example.com/login",
};
const SCRIPT = "[[{ tool: file_issue, input: {} }], { text: Done. }]";
const policy = allowEverything();

/** A tool that asks for input while it runs. */
const asking = (run: (elicit: NonNullable<RunPorts["elicit"]>, ports: RunPorts) => Promise<string>): Tool =>
  defineTool({
    name: "file_issue",
    description: "A test's tool.",
    inputSchema: z.object({}),
    effect: "executes",
    ask: "use_mcp_server",
    elicits: true,
    execute: (_, ports) => (ports.elicit === undefined ? "It can't ask." : run(ports.elicit, ports)),
  });
const once = (request: ElicitationRequest): Tool =>
  asking(async (elicit) => JSON.stringify(await elicit(request)));
const rigOf = (tool: Tool) => openRig({ script: SCRIPT, tools: [tool], policy });
type Rig = Awaited<ReturnType<typeof rigOf>>;

const conversationIn = (rig: Rig) => rig.sent().at(-1) ?? [];
/** The result that the model got. */
const resultIn = (rig: Rig): unknown =>
  conversationIn(rig).flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_result" ? block.content : [])),
  );
const textResult = (answer: ElicitationAnswer) => [{ type: "text", text: JSON.stringify(answer) }];
const says = (rig: Rig) => rig.task.log.toArray().map(({ ask, say, closing }) => [ask ?? say, closing]);

describe("a running tool call that asks for input", () => {
  test("waits for a person, and gets the fields that its schema takes", async () => {
    await using rig = await rigOf(once(FORM));
    const run = rig.task.run("File it");
    const ask = await rig.ask("question");
    expect(rig.task.state).toMatchObject({ state: "waiting_for_input", requiredAction: "answer" });
    expect(ask.question).toContain("tracker asks: Which project?\n- project: one of web, api");
    expect(ask.elicitation?.request).toEqual(FORM);
    expect(ask.elicitation?.accept({ project: "app" })).toMatchObject({
      ok: false,
      code: "ANSWER_REFUSED",
      message: expect.stringContaining('project: Invalid option: expected one of "web"|"api"'),
    });
    expect(ask.elicitation?.accept({ project: "web" })).toEqual({ ok: true });
    expect(ask.elicitation?.decline()).toMatchObject({ ok: false, code: "ASK_ALREADY_ANSWERED" });
    await run;
    expect(resultIn(rig)).toEqual(textResult({ action: "accept", content: { project: "web" } }));
    expect(says(rig)).toContainEqual(["followup", "answered"]);
  });

  test("is the only one that has the values of a form: no message and no record has them", async () => {
    const secret = "only-for-the-call";
    const request: ElicitationRequest = {
      ...FORM,
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    };
    let got: unknown;
    const tool = asking(async (elicit) => {
      got = await elicit(request);
      return "filed";
    });
    await using rig = await rigOf(tool);
    const run = rig.task.run("File it");
    (await rig.ask("question")).elicitation?.accept({ name: secret });
    await run;
    expect(got).toEqual({ action: "accept", content: { name: secret } });
    const shown = JSON.stringify([rig.task.log.toArray(), conversationIn(rig)]);
    expect(shown).not.toContain(secret);
    await rig.host.closeAll();
    const journal = await readFile(path.join(rig.dataDir, "tasks", rig.task.id, "journal.jsonl"), "utf8");
    expect(journal).toContain("(accepted)");
    expect(journal).not.toContain(secret);
  });

  test.each(["decline", "cancel"] as const)("is given a %s", async (action) => {
    await using rig = await rigOf(once(URL));
    const run = rig.task.run("File it");
    (await rig.ask("question")).elicitation?.[action]();
    await run;
    expect(resultIn(rig)).toEqual(textResult({ action }));
  });

  test("takes the confirmation of an address as a text, as older clients send it", async () => {
    await using rig = await rigOf(once(URL));
    const run = rig.task.run("File it");
    const ask = await rig.ask("question");
    expect(ask.question).toContain("https://example.com/login");
    expect(ask.answer("accept")).toEqual({ ok: true });
    await run;
    expect(resultIn(rig)).toEqual(textResult({ action: "accept" }));
  });

  test("asks one question at a time (L8)", async () => {
    const tool = asking(async (elicit) => JSON.stringify(await Promise.all([elicit(FORM), elicit(URL)])));
    await using rig = await rigOf(tool);
    const run = rig.task.run("File it");
    const first = await rig.ask("question");
    expect(rig.task.asks).toHaveLength(1);
    first.elicitation?.accept({ project: "api" });
    const next = await rig.until(({ commit }) => commit.cause?.type === "tool.elicitation.requested");
    expect(next.commit.after).toBe("waiting_for_input.elicitation");
    (await rig.ask("question")).elicitation?.decline();
    await run;
    const answers: ElicitationAnswer[] = [
      { action: "accept", content: { project: "api" } },
      { action: "decline" },
    ];
    expect(resultIn(rig)).toEqual([{ type: "text", text: JSON.stringify(answers) }]);
  });

  test("runs alone, also if it only reads: its question never belongs to another call", async () => {
    let running = 0;
    const most: number[] = [];
    const tool = defineTool({
      name: "file_issue",
      description: "A test's tool.",
      inputSchema: z.object({ id: z.string() }),
      effect: "reads",
      elicits: true,
      execute: async ({ id }, { elicit }) => {
        running += 1;
        most.push(running);
        await elicit?.(URL);
        running -= 1;
        return id;
      },
    });
    const two = ["a", "b"].map((id) => `{ tool: file_issue, input: { id: ${id} } }`).join();
    await using rig = await openRig({ script: `[[${two}], { text: Done. }]`, tools: [tool], policy });
    rig.task.asks$.subscribe((ask) => {
      if (ask.kind === "question") ask.elicitation?.accept();
    });
    await rig.task.run("File them");
    expect(most).toEqual([1, 1]);
    expect(says(rig).filter(([ask]) => ask === "followup")).toHaveLength(2);
  });

  test("withdraws its question when it ends without the answer", async () => {
    const tool = asking(async (elicit) => {
      void elicit(FORM);
      return "It takes the default.";
    });
    await using rig = await rigOf(tool);
    await rig.task.run("File it");
    expect(resultIn(rig)).toEqual([{ type: "text", text: "It takes the default." }]);
    const asked = says(rig).filter(([ask]) => ask === "followup");
    expect(asked.every(([, closing]) => closing === "withdrawn")).toBe(true);
  });

  test("L10: is stopped by a cancel, which closes its question", async () => {
    const { promise: ended, resolve: end } = deferred<unknown>();
    const tool = asking(async (elicit) => {
      await elicit(FORM).catch(end);
      return "stopped";
    });
    await using rig = await rigOf(tool);
    const run = rig.task.run("File it");
    const ask = await rig.ask("question");
    await rig.task.cancel();
    await run;
    expect(await ended).toMatchObject({ code: "FAILED", message: expect.stringContaining("stopped") });
    expect(ask.elicitation?.decline()).toMatchObject({ ok: false });
    expect(rig.task.state.state).toBe("resumable");
    expect(says(rig)).toContainEqual(["followup", "withdrawn"]);
  });

  test("L7: is not answered by a queued message", async () => {
    await using rig = await rigOf(once(URL));
    const run = rig.task.run("File it");
    const ask = await rig.ask("question");
    rig.task.queue("accept");
    expect(rig.task.asks.map(({ id }) => id)).toEqual([ask.id]);
    ask.elicitation?.decline();
    await run;
    expect(resultIn(rig)).toEqual(textResult({ action: "decline" }));
  });

  test("gets an error for a request that is not valid, and nobody is asked", async () => {
    const nested = { ...FORM, requestedSchema: { type: "object", properties: { a: { type: "object" } } } };
    const file = { ...URL, url: "file:///etc/passwd" };
    const tool = asking(async (elicit) => {
      const errors: unknown[] = [];
      for (const request of [nested, file])
        await elicit(request as never).catch((error) => errors.push(error.code));
      return JSON.stringify(errors);
    });
    await using rig = await rigOf(tool);
    await rig.task.run("File it");
    expect(resultIn(rig)).toEqual([{ type: "text", text: '["ARGUMENTS_INVALID","ARGUMENTS_INVALID"]' }]);
    expect(says(rig).some(([ask]) => ask === "followup")).toBe(false);
  });
});

test("a tool that does not say that it elicits can't ask, and one that runs commands can't say so", async () => {
  const silent = defineTool({
    name: "file_issue",
    description: "A test's tool.",
    inputSchema: z.object({}),
    effect: "reads",
    execute: (_, { elicit }) => String(elicit),
  });
  await using rig = await rigOf(silent);
  await rig.task.run("File it");
  expect(resultIn(rig)).toEqual([{ type: "text", text: "undefined" }]);
  const command = {
    name: "x",
    description: "",
    inputSchema: z.object({}),
    effect: "executes",
    execute: () => "",
  } as const;
  expect(() => defineTool({ ...command, ask: "command", elicits: true })).toThrow(/elicits/);
});
