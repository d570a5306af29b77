import { type ClientCapabilities, methods, type RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { runs } from "../../support/campaigns.ts";
import { type AcpClient, type Answers, select } from "./acp-client.ts";
import { READ, run, ScriptedFolder, WRITE } from "./scripted-agent.ts";
import { ProcessTerminals } from "./terminals.ts";

const SCRIPT = `
- [{ thinking: I look first. }, { text: I look. }, ${READ}]
- ${WRITE}
- ${run("echo begun && echo ended")}
- text: All done.
- text: More.`;

/** All messages in the long campaign, else some. */
const STEP = runs(1, 6);

const CLIENTS: readonly { readonly commands: string; readonly capabilities: ClientCapabilities }[] = [
  { commands: "commands of the agent", capabilities: {} },
  { commands: "commands in terminals of the client", capabilities: { terminal: true } },
];

/** Ends of tool calls. */
const ENDED = ["completed", "failed"];

/** The calls of a session that have no end, as its client sees them. */
function openCalls(client: AcpClient, session: string): readonly string[] {
  const statuses = new Map<string, string>();
  for (const update of client.updates(session))
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
      statuses.set(update.toolCallId, update.status ?? statuses.get(update.toolCallId) ?? "");
  return [...statuses].flatMap(([id, status]) => (ENDED.includes(status) ? [] : [id]));
}

describe.each(CLIENTS)("$commands", ({ capabilities }) => {
  test("a cancel at every message of a turn is answered with cancelled after all updates, and the session continues", async () => {
    const folder = await ScriptedFolder.open(SCRIPT);
    const cancelled = new Set<string>();
    const permission: Answers["permission"] = (request): RequestPermissionResponse =>
      cancelled.has(request.sessionId)
        ? { outcome: { outcome: "cancelled" } }
        : select(request, "allow_once");
    const terminals = new ProcessTerminals();
    const client = folder.connect({ permission, terminals });
    await client.initialize(capabilities);
    let at = 0;
    for (let isCancelled = true; isCancelled; at += STEP) {
      const session = await client.session(folder.newWorkspace());
      await client.until(() => client.updates(session).length > 0);
      const before = client.messagesOf(session).length;
      const prompt = client.prompt(session, "Go");
      const reached = client.until(() => client.messagesOf(session).length >= before + at);
      await Promise.race([reached, prompt]);
      cancelled.add(session);
      await client.cancel(session);
      const { stopReason } = await prompt;
      isCancelled = stopReason === "cancelled";
      const count = client.messagesOf(session).length;
      expect(openCalls(client, session)).toEqual([]);
      cancelled.delete(session);
      // The next response was not preceded by a late update of the cancelled turn.
      await client.agent.request(methods.agent.session.list, {});
      expect(client.messagesOf(session).length).toBe(count);
      expect([...terminals.open.keys()]).toEqual([]);
      expect(await client.prompt(session, "Continue")).toEqual({ stopReason: "end_turn" });
      await client.agent.request(methods.agent.session.close, { sessionId: session });
    }
    expect(at).toBeGreaterThan(15);
    expect(terminals.created.length > 0).toBe(capabilities.terminal === true);
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("a client that disconnects at every message of a turn finds the session on disk, and continues it", async () => {
    const folder = await ScriptedFolder.open(SCRIPT);
    let at = 0;
    for (let isEnded = false; !isEnded; at += STEP) {
      const cwd = folder.newWorkspace();
      const first = folder.connect({ terminals: new ProcessTerminals() });
      await first.initialize(capabilities);
      const sessionId = await first.session(cwd);
      await first.until(() => first.updates(sessionId).length > 0);
      const before = first.messagesOf(sessionId).length;
      const prompt = first.prompt(sessionId, "Go").then(
        () => true,
        () => false,
      );
      const reached = first.until(() => first.messagesOf(sessionId).length > before + at).then(() => false);
      isEnded = await Promise.race([reached, prompt]);
      expect(await first.end()).toBe(0);
      const second = folder.connect({ terminals: new ProcessTerminals() });
      await second.initialize(capabilities);
      await second.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
      expect(second.text("user_message_chunk")).toBe("Go");
      expect(openCalls(second, sessionId)).toEqual([]);
      expect(await second.prompt(sessionId, "Continue")).toEqual({ stopReason: "end_turn" });
      expect(await second.end()).toBe(0);
    }
    expect(at).toBeGreaterThan(15);
    await folder.close();
  });
});
