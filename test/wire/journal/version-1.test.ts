import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memoryJournal, replayJournal } from "../../../store/index.ts";

const FOLDER = new URL("../../fixtures/journals/v1/", import.meta.url);
const recalled = async (name: string) => {
  const found = await replayJournal(memoryJournal({ content: readFileSync(new URL(name, FOLDER)) }));
  if (found === undefined) throw new Error(`${name} tells nothing`);
  return found;
};

describe("a journal of format version 1", () => {
  it.each(readdirSync(FOLDER))("is read whole: %s", async (name) => {
    const { header, tail, memory } = await recalled(name);
    expect([header.version, tail]).toEqual([1, undefined]);
    expect(memory.log.length).toBeGreaterThan(1);
  });

  it("L12: says which calls were begun, and how those ended that have an end", async () => {
    const { memory } = await recalled("commanding.jsonl");
    expect(memory.calls).toMatchObject([
      { name: "write_to_file", phase: "running", replayable: false, end: [{ type: "text" }] },
      { name: "execute_command", phase: "running", replayable: false },
    ]);
    expect(memory.calls[1]).not.toHaveProperty("end");
  });

  it("L12: knows a call that only read", async () => {
    const { memory } = await recalled("waiting.jsonl");
    expect(memory.calls).toMatchObject([{ phase: "running", replayable: true }]);
  });

  it("keeps what was said and not sent, and what was spent", async () => {
    const { memory } = await recalled("waiting.jsonl");
    expect(memory.queue).toMatchObject([{ text: "and more" }]);
    expect(memory.facts.pending).toEqual([]);
    expect(memory.facts.total?.cost).toBeGreaterThan(0);
  });

  it("knows the completion that was offered", async () => {
    const { memory } = await recalled("completed.jsonl");
    expect(memory.calls).toMatchObject([{ name: "attempt_completion", phase: "asking" }]);
  });
});
