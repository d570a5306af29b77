import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { UpdateQueue } from "../../../cli/acp/update-queue.ts";

const text = (messageId: string, part: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  messageId,
  content: { type: "text", text: part },
});

test("while one update is sent, updates of the same message and call join, in their order", async () => {
  const sent: SessionUpdate[] = [];
  const queue = new UpdateQueue(async ({ update }) => {
    sent.push(update);
  });
  queue.add("s", text("1", "a"));
  queue.add("s", text("1", "b"));
  queue.add("s", text("1", "c"));
  queue.add("s", text("2", "d"));
  queue.add("s", { sessionUpdate: "tool_call", toolCallId: "t", title: "Read", status: "pending" });
  queue.add("s", { sessionUpdate: "tool_call_update", toolCallId: "t", status: "in_progress" });
  queue.add("s", {
    sessionUpdate: "tool_call_update",
    toolCallId: "t",
    title: "Read a.txt",
    status: "completed",
  });
  queue.add("s", { sessionUpdate: "usage_update", used: 1, size: 9 });
  queue.add("s", { sessionUpdate: "usage_update", used: 2, size: 9 });
  await queue.flushed();
  expect(sent).toEqual([
    text("1", "a"),
    text("1", "bc"),
    text("2", "d"),
    { sessionUpdate: "tool_call", toolCallId: "t", title: "Read a.txt", status: "completed" },
    { sessionUpdate: "usage_update", used: 2, size: 9 },
  ]);
});

test("a queue of a closed connection drops its rest, and is flushed", async () => {
  const queue = new UpdateQueue(() => Promise.reject(new Error("closed")));
  queue.add("s", text("1", "a"));
  queue.add("s", text("2", "b"));
  await expect(queue.flushed()).resolves.toBeUndefined();
});

test("updates of one session join although another session has updates between them, in their order", async () => {
  const sent: [string, SessionUpdate][] = [];
  const queue = new UpdateQueue(async ({ sessionId, update }) => {
    sent.push([sessionId, update]);
  });
  queue.add("parent", { sessionUpdate: "subagent_update", sessionId: "child" });
  queue.add("child", text("1", "a"));
  queue.add("parent", text("1", "b"));
  queue.add("child", text("1", "c"));
  queue.add("parent", { sessionUpdate: "subagent_update", sessionId: "child", state: { state: "idle" } });
  queue.add("child", text("1", "d"));
  queue.add("parent", text("1", "e"));
  await queue.flushed();
  expect(sent).toEqual([
    ["parent", { sessionUpdate: "subagent_update", sessionId: "child" }],
    ["child", text("1", "acd")],
    ["parent", text("1", "b")],
    ["parent", { sessionUpdate: "subagent_update", sessionId: "child", state: { state: "idle" } }],
    ["parent", text("1", "e")],
  ]);
});
