import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { program } from "../support/program.ts";
import { enters, Served, SseReader, tracesOf } from "./support.ts";

const CHILD = new URL("./other-process.child.ts", import.meta.url);

test("LIFE-GAP-020: /api/events has the task that another process creates, as it waits and as it comes to rest", async () => {
  await using served = await Served.open({ script: "[{ text: Done. }]" });
  const events = await SseReader.open(served, "/api/events");
  const isIn =
    (...facts: readonly string[]) =>
    ({ data }: { readonly data: string }) =>
      ['"id":"elsewhere"', '"isOpen":false', ...facts].every((fact) => data.includes(fact));
  const child = spawn(process.execPath, [await program(CHILD), served.dataDir, served.workspace], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const exited = once(child, "exit");
  await events.until(isIn('"state":"waiting_for_input"'));
  child.stdin.write("seen\n");
  await events.until(isIn('"state":"idle"', '"rest":"completed"'));
  expect(await exited).toEqual([0, null]);
  events.close();
  expect(served.errors).toEqual([]);
});

test("the stream of a task has the events that another process appends, and ends with none of them missing", async () => {
  await using served = await Served.open({ script: "[{ text: Done. }]" });
  const list = await SseReader.open(served, "/api/events");
  const child = spawn(process.execPath, [await program(CHILD), served.dataDir, served.workspace], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const exited = once(child, "exit");
  await list.until(({ data }) => data.includes('"id":"elsewhere"') && data.includes("waiting_for_input"));
  const stream = await SseReader.open(served, "/api/tasks/elsewhere/events");
  const before = tracesOf(await stream.until(enters("waiting_for_input")));
  child.stdin.write("seen\n");
  const after = tracesOf(await stream.until(enters("idle")));
  expect(await exited).toEqual([0, null]);
  const seqs = [...before, ...after].map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, position) => position));
  expect(after.length).toBeGreaterThan(3);
  stream.close();
  list.close();
  expect(served.errors).toEqual([]);
});
