import { methods, type SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import type { AcpClient } from "./acp-client.ts";
import { ScriptedFolder } from "./scripted-agent.ts";

const LONG = "A line of notes that fills the window. ".repeat(600);
const todo = (index: number): string =>
  `[{ text: "${LONG}" }, { tool: update_todo_list, input: { todos: "[ ] ${index}" } }]`;

/** A task that fills its window, and summarizes when it is asked to. */
const scriptWith = (summary: string): string => `rules:
  - when: { user: "Write a summary that replaces" }
    turns: [{ text: ${JSON.stringify(summary)} }]
turns: [${Array.from({ length: 6 }, (_, index) => todo(index)).join(", ")}, { text: Done. }]
`;

const compactionsOf = (client: AcpClient): readonly SessionUpdate[] =>
  client.updates().filter(({ sessionUpdate }) => sessionUpdate === "compaction_update");

/** The updates of the first condensing of a session, whose turn is cancelled then. */
async function firstCompaction(summary: string): Promise<readonly SessionUpdate[]> {
  const folder = await ScriptedFolder.open(scriptWith(summary));
  folder.writeSettings(
    "version: 1\nmodels: { anthropic/claude-sonnet-4-6: { contextWindow: 20000, maxTokens: 1000 } }",
  );
  const client = folder.connect();
  await client.initialize({ session: { compaction: {} } });
  const sessionId = await client.session(folder.workspace);
  const prompt = client.prompt(sessionId, "Go");
  await Promise.race([client.until(() => compactionsOf(client).length === 2), prompt]);
  await client.cancel(sessionId);
  await prompt;
  const [first, second] = compactionsOf(client);
  expect(await client.end()).toBe(0);
  const other = folder.connect();
  await other.initialize();
  await other.agent.request(methods.agent.session.load, { sessionId, cwd: folder.workspace, mcpServers: [] });
  expect(compactionsOf(other)).toEqual([]);
  expect(await other.end()).toBe(0);
  await folder.close();
  return [first, second].filter((update) => update !== undefined);
}

test("a condensed conversation is shown with its summary, to a client that takes it", async () => {
  const [first, second] = await firstCompaction("Notes were read.");
  expect(first).toMatchObject({ compactionId: expect.any(String), status: "in_progress" });
  expect(second).toEqual({
    ...first,
    status: "completed",
    summary: [{ type: "text", text: "Notes were read." }],
  });
});

test("a summary that is not shorter has failed, with the reason", async () => {
  const [first, second] = await firstCompaction(LONG.repeat(5));
  const error = expect.stringContaining("its summary is not shorter");
  expect(second).toEqual({ ...first, status: "failed", error });
});
