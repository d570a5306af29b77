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
  const queue = new UpdateQueue(async (update) => {
    sent.push(update);
  });
  queue.add(text("1", "a"));
  queue.add(text("1", "b"));
  queue.add(text("1", "c"));
  queue.add(text("2", "d"));
  queue.add({ sessionUpdate: "tool_call", toolCallId: "t", title: "Read", status: "pending" });
  queue.add({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "in_progress" });
  queue.add({ sessionUpdate: "tool_call_update", toolCallId: "t", title: "Read a.txt", status: "completed" });
  queue.add({ sessionUpdate: "usage_update", used: 1, size: 9 });
  queue.add({ sessionUpdate: "usage_update", used: 2, size: 9 });
  await queue.flushed();
  expect(sent).toEqual([
    text("1", "a"),
    text("1", "bc"),
    text("2", "d"),
    { sessionUpdate: "tool_call", toolCallId: "t", title: "Read a.txt", status: "completed" },
    { sessionUpdate: "usage_update", used: 2, size: 9 },
  ]);
});

test("a history of 200,000 updates is queued", () => {
  const sent: SessionUpdate[] = [];
  const queue = new UpdateQueue((update) => {
    sent.push(update);
    return new Promise(() => {});
  });
  queue.addAll(Array.from({ length: 200_000 }, (_, message) => text(`${message}`, "a")));
  expect(sent).toEqual([text("0", "a")]);
});

test("a queue of a closed connection drops its rest, and is flushed", async () => {
  const queue = new UpdateQueue(() => Promise.reject(new Error("closed")));
  queue.add(text("1", "a"));
  queue.add(text("2", "b"));
  await expect(queue.flushed()).resolves.toBeUndefined();
});
