import { expect, test } from "vitest";
import { z } from "zod";
import { allowEverything, builtinTools, defineTool } from "../../tools/index.ts";
import { DONE, openRig, type Rig } from "../support/host.ts";

const ONLY = "You answer questions about our shop. Look orders up.";

const bodySchema = z.object({ system: z.array(z.object({ text: z.string() })) });

/** The system prompts of the requests. */
const promptsOf = ({ mock }: Rig): readonly string[] =>
  (mock?.requests ?? [])
    .filter(({ path }) => path === "/v1/messages")
    .map(({ body }) =>
      bodySchema
        .parse(body)
        .system.map(({ text }) => text)
        .join("\n\n"),
    );

const lookUp = defineTool({
  name: "look_up",
  description: "Look an order up.",
  inputSchema: z.object({}),
  effect: "reads",
  execute: () => "Shipped.",
});

test("the whole system prompt of a program with own tools is its own text, with its instructions", async () => {
  await using rig = await openRig({
    script: "[{ tool: look_up, input: {} }, { text: Shipped. }]",
    files: { "AGENTS.md": "Run the tests." },
    tools: [lookUp],
    systemPrompt: { only: ONLY },
    instructions: ["Answer in French."],
    policy: allowEverything(),
  });
  await rig.task.run("Where is order 7?");
  const whole = `${ONLY}\n\nAnswer in French.`;
  expect(promptsOf(rig)).toEqual([whole, whole]);
});

test("a text alone replaces the role of the mode only", async () => {
  await using rig = await openRig({ script: "[{ text: Shipped. }]", systemPrompt: ONLY });
  await rig.task.run("Where is order 7?");
  expect(promptsOf(rig)[0]).toContain(`${ONLY}\n\n# Tools`);
});

test("a reopened task and its subtasks have the recorded system prompt", async () => {
  await using rig = await openRig({
    script: `rules: [
      { when: { user: Count }, turns: [${DONE}] },
      { turns: [{ text: One. }, { tool: new_task, input: { mode: ask, message: Count } }, { text: Done. }] }
    ]`,
    systemPrompt: { only: ONLY },
  });
  await rig.task.run("Help");
  await rig.task.close();
  const tools = builtinTools().filter(({ name }) => name === "new_task" || name === "attempt_completion");
  const again = await rig.host.open(rig.task.id, {
    model: rig.model,
    tools,
    permissions: { judge: allowEverything() },
  });
  expect((await again.run("And more")).result).toBe("Done.");
  expect(promptsOf(rig)).toEqual([ONLY, ONLY, ONLY, ONLY]);
});

test("a system prompt of another form is refused", async () => {
  await using rig = await openRig({ script: "[{ text: One. }]" });
  for (const systemPrompt of ["", { only: "" }, { text: "x" }, 7])
    await expect(
      rig.host.create({ model: rig.model, workspace: ".", ...Object({ systemPrompt }) }),
    ).rejects.toMatchObject({ code: "OPTION_INVALID", message: expect.stringContaining("systemPrompt") });
});
