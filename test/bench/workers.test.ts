import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasPostgres } from "../../bench/harness/cluster.ts";
import { Processes } from "../../bench/workers/processes.ts";

const MAIN = fileURLToPath(new URL("../../bench/workers/main.ts", import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "bench-processes-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Processes of a program. */
async function processesOf(program: string): Promise<Processes> {
  const file = path.join(folder, "program.mjs");
  await writeFile(file, program);
  return new Processes(file);
}

const input = () =>
  ({
    kind: "worker",
    url: "",
    journals: "",
    workspace: folder,
    turns: 1,
    tasks: 0,
    warmUp: 0,
    atOnce: 1,
  }) as const;
const LOADED = 'process.send({ type: "loaded" });';

test.skipIf(!hasPostgres)(
  "the bench of workers prints each figure with the result of its limit",
  async () => {
    const child = spawn(process.execPath, ["--import", "tsx", MAIN, "--quick"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    expect(output, errors).toMatch(
      /^Taken on .+, \d+ cores, .+, node v\d.+ Too small for published figures\.\n/,
    );
    const cells = output
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .map((line) => line.split("|").map((cell) => cell.trim()));
    const results = new Map(cells.map(([, name = "", value = "", limit = ""]) => [name, { value, limit }]));
    const ratio = "turns/s, 2 workers with PostgreSQL : 1 process with files";
    expect(results.get(ratio)).toEqual({ value: expect.stringMatching(/ x$/), limit: "at least 0.60 x" });
    expect(results.get("start of a worker to taking tasks, p50")?.limit).toBe("at most 1000 ms");
    const heap = "heap of a worker with 20 tasks that stream, after a collection";
    expect(results.get(heap)?.value).toMatch(/^\d.* MB$/);
    expect(results.get("disk")?.value).toMatch(/^\d.* GB$/);
    expect(code).toBe(output.includes("MISSED") ? 1 : 0);
  },
);

test("a measurement fails if one of its processes ends", async () => {
  const processes = await processesOf("process.exit(3);");
  await expect(processes.start(input())).rejects.toMatchObject({
    cause: { message: "A process ended early, with code 3." },
  });
});

test("a measurement fails with the error that a process reports", async () => {
  const processes = await processesOf(
    `${LOADED} process.on("message", () => process.send({ type: "failed", message: "No task" }));`,
  );
  processes.request(await processes.start(input()), "go");
  await expect(processes.until(() => processes.count("ended") === 1)).rejects.toMatchObject({
    cause: { message: "No task" },
  });
  await processes.killAll();
});

test("processes that start at the same time are all awaited", async () => {
  const processes = await processesOf(`${LOADED} process.on("message", () => {});`);
  const children = await Promise.all([1, 2, 3].map(() => processes.start(input())));
  expect(children.map((child) => processes.report(child, "loaded"))).toEqual(
    children.map(() => ({ type: "loaded" })),
  );
  await processes.killAll();
});
