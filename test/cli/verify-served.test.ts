import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { verificationCountsSchema, verificationSchema } from "../../wire/http/verification.ts";
import { type Sse, SseReader } from "../server/support.ts";
import { type Built, build } from "./built.ts";
import { signalbox } from "./in-process.ts";
import { Process, temporaryFolder } from "./process.ts";

const JOURNAL = "test/fixtures/journals/2026-11/task.jsonl";
const LINES = readFileSync(JOURNAL, "utf8").trimEnd().split("\n").length;
const SMALL = ["verify", "--calls", "0", "--tools", "read", "--max-states", "30", "--page"];

const folder = temporaryFolder();
afterAll(() => folder.remove());
let built: Built;
beforeAll(async () => {
  built = await build();
});

const countsIn = (event: Sse | undefined) => verificationCountsSchema.parse(JSON.parse(event?.data ?? ""));

/** The command, once it serves its page. */
async function serving(...args: readonly string[]) {
  const process = new Process(built.bin, [...SMALL, ...args], { env: { HOME: folder.path } });
  await process.said("&view=verification");
  const [, served = "", url = "", token = ""] =
    /Serving (.+)\nOpen (http:\S+)\/#token=(\S+)&view=verification\n/.exec(process.stdout) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  const fetched = async (where: string): Promise<unknown> =>
    (await fetch(`${url}${where}`, { headers })).json();
  return {
    process,
    served,
    verification: async () => verificationSchema.parse(await fetched("/api/verification")).verification,
    ids: async () =>
      z.object({ tasks: z.array(z.object({ id: z.string() })) }).parse(await fetched("/api/tasks")).tasks,
    async counts(): Promise<SseReader> {
      const server = {
        fetch: (where: string, init: RequestInit = {}) => fetch(`${url}${where}`, { ...init, headers }),
      };
      return SseReader.open(server, "/api/verification/counts");
    },
    async stop(): Promise<number | null> {
      process.child.kill("SIGTERM");
      return process.code;
    },
  };
}

describe("signalbox verify --page", () => {
  test("serves the result with the counts of a data folder, which grow with what another process appends", async () => {
    const dataDir = path.join(folder.path, "data");
    const journal = path.join(dataDir, "tasks/task/journal.jsonl");
    mkdirSync(path.dirname(journal), { recursive: true });
    const lines = readFileSync(JOURNAL, "utf8").match(/.*\n/g) ?? [];
    writeFileSync(journal, lines.slice(0, 10).join(""));
    const { process, served, verification, counts, stop } = await serving("--counts", dataDir);
    expect(served).toBe(dataDir);
    const result = await verification();
    expect(process.stdout).toContain(`\n${result?.figures.states} states, `);
    expect(result?.races?.races.length).toBeGreaterThan(0);
    expect(result?.callTransitions.length).toBeGreaterThan(0);
    expect(result?.recorded).toMatchObject({ tasks: 1, events: 10 });
    const stream = await counts();
    expect(countsIn(await stream.next()).recorded).toMatchObject({ tasks: 1, events: 10 });
    writeFileSync(journal, lines.slice(10).join(""), { flag: "a" });
    const grown = await stream.until((event) => countsIn(event).recorded.events === LINES);
    expect(countsIn(grown.at(-1)).transitions).toHaveLength(result?.transitions.length ?? 0);
    stream.close();
    expect(await stop()).toBe(143);
    expect(process.stderr).toBe("");
  });

  test("serves a copy of a journal, and without --counts the usual data folder", async () => {
    const before = readFileSync(JOURNAL, "utf8");
    const copied = await serving("--counts", path.resolve(JOURNAL));
    expect((await copied.ids()).map(({ id }) => id)).toEqual(["task"]);
    const counted = await copied.counts();
    expect(countsIn(await counted.next()).recorded).toMatchObject({ tasks: 1, events: LINES });
    counted.close();
    expect(await copied.stop()).toBe(143);
    expect(readFileSync(JOURNAL, "utf8")).toBe(before);
    const usual = await serving();
    expect(usual.served).toBe(path.join(folder.path, ".signalbox"));
    const none = await usual.counts();
    expect(countsIn(await none.next()).recorded).toMatchObject({ tasks: 0, events: 0 });
    none.close();
    expect(await usual.stop()).toBe(143);
  });

  test("ends with code 1 after its page, if a law is broken, and the page has the path to it", async () => {
    const machine = path.join(built.dir, "examples/stale-answer.mjs");
    const { verification, stop } = await serving("--machine", machine, "--max-states", "200");
    const result = await verification();
    expect(result?.violations[0]).toMatchObject({ law: "L8" });
    expect(result?.races).toBeUndefined();
    expect(await stop()).toBe(1);
  });

  test.each([
    [["--format", "json"], "--page prints an address, which is no JSON."],
    [["--races"], "'--races' cannot be used with option '--page'"],
    [["--counts", "none.jsonl"], "--counts: expected a journal, or a data folder with tasks, got none.jsonl"],
  ])("with %s is refused before anything is explored", async (args, words) => {
    const { code, stdout, stderr } = await signalbox(...SMALL, ...args);
    expect({ code, stdout }).toEqual({ code: expect.any(Number), stdout: "" });
    expect(code).not.toBe(0);
    expect(stderr).toContain(words);
  });

  test("with --log is refused: a recorded log is not explored", async () => {
    const { stderr } = await signalbox("verify", "--log", JOURNAL, "--page");
    expect(stderr).toContain("'--log <file>' cannot be used with option '--page'");
  });
});
