import { release, type as systemName } from "node:os";
import { expect, test } from "vitest";
import { z } from "zod";
import { createHost } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { allowEverything, builtinTools, defineTool } from "../../tools/index.ts";
import { DONE, openRig, type Rig, type RigOptions } from "../support/host.ts";

const SUPPORT = "You answer questions about our shop.";
const rigOf = (options: RigOptions): Promise<Rig> =>
  openRig({ files: { "secret-name.txt": "x" }, ...options });

/** A second task of the rig's host, which has no workspace. */
const agentIn = (rig: Rig, options: object = {}) =>
  rig.host.create({
    id: "agent",
    model: rig.model,
    workspace: false,
    systemPrompt: SUPPORT,
    tools: [],
    ...options,
  });

/** The bodies of the requests as text. */
const requests = ({ mock }: Rig): string => JSON.stringify(mock?.requests.map(({ body }) => body));

function expectNothingOfTheSystem(rig: Rig): void {
  const sent = requests(rig).toLowerCase();
  expect(sent).toContain(SUPPORT.toLowerCase());
  for (const words of [
    systemName(),
    release(),
    "/bin/",
    "shell",
    rig.dir,
    rig.dataDir,
    process.cwd(),
    "package.json",
    "secret-name",
    "environment_details",
    "no-workspace",
    "software engineer",
    "workspace",
  ])
    expect(sent, words).not.toContain(words.toLowerCase());
}

test("a request of a task without a workspace has its own prompt, and nothing of system, shell, folder or files", async () => {
  await using rig = await rigOf({ script: "[{ text: We open at nine. }, { text: At six. }]" });
  const agent = await agentIn(rig);
  expect((await agent.run("When do you open?")).result).toBe("We open at nine.");
  expect((await agent.run("And close?")).result).toBe("At six.");
  expectNothingOfTheSystem(rig);
});

test("a task without a workspace stays without one when it is opened again or forked", async () => {
  await using rig = await rigOf({ script: "[{ text: One. }, { text: Two. }, { text: Two. }]" });
  const agent = await agentIn(rig);
  await agent.run("When do you open?");
  await agent.close();
  const { id } = await openHistory({ dataDir: rig.dataDir }).fork("agent", { newId: "fork" });
  for (const each of ["agent", id]) {
    const again = await rig.host.open(each, { model: rig.model, tools: [] });
    await again.run("And close?");
  }
  expectNothingOfTheSystem(rig);
  expect(
    (await openHistory({ dataDir: rig.dataDir }).list()).find((task) => task.id === "agent"),
  ).not.toHaveProperty("workspace");
});

test("a subtask of a task without a workspace has none", async () => {
  const delegate = builtinTools().filter(({ name }) => name === "new_task" || name === "attempt_completion");
  await using rig = await rigOf({
    script: `rules: [
      { when: { user: Count }, turns: [${DONE}] },
      { turns: [{ tool: new_task, input: { mode: ask, message: Count } }, { text: Done. }] }
    ]`,
  });
  const agent = await agentIn(rig, { tools: delegate, permissions: { judge: allowEverything() } });
  expect((await agent.run("Help")).result).toBe("Done.");
  expect(rig.mock?.requests.length).toBeGreaterThan(2);
  const systems = rig.mock?.requests.map(({ body }) => JSON.stringify(body)) ?? [];
  for (const sent of systems) {
    expect(sent).toContain(SUPPORT);
    expect(sent).not.toContain("environment_details");
    expect(sent).not.toContain(process.cwd());
  }
});

test("tools that work in a workspace are refused by name where there is none, and are not among the default ones", async () => {
  const host = createHost();
  const own = defineTool({
    name: "order_status",
    description: "Look an order up.",
    inputSchema: z.object({}),
    effect: "reads",
    execute: async () => "shipped",
  });
  await using rig = await rigOf({ script: `[{ tool: order_status, input: {} }, ${DONE}]` });
  const refused = host.create({ model: rig.model, workspace: false, tools: [own, ...builtinTools()] });
  await expect(refused).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringMatching(/tools: .*read_file.*execute_command/),
  });
  const agent = await agentIn(rig, { tools: undefined });
  await agent.run("Help");
  expect(requests(rig)).not.toMatch(/"name":"(read_file|execute_command|write_to_file)"/);
  await host.closeAll();
});
