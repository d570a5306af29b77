import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { Protocol } from "../../../control/protocol.ts";
import { trustedMonitoring } from "../../../control/protocols/trusted-monitoring.ts";
import { JournalParser } from "../../../store/journal/reader.ts";
import { controllerOf, controlRig, recordsOf, suspicious } from "../../support/control.ts";
import { DONE } from "../../support/host.ts";
import { signalbox } from "../in-process.ts";
import { temporaryFolder } from "../process.ts";
import { protocol as everywhere } from "./everywhere.ts";

const CORPUS = fileURLToPath(new URL("../../fixtures/journals/", import.meta.url));
const FILES = readdirSync(CORPUS, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".jsonl"))
  .toSorted();
const EVERYWHERE = fileURLToPath(new URL("everywhere.ts", import.meta.url));
const DENIED = "deny: The call was not approved. Go on without it.";
const TASK = path.join(CORPUS, "2026-11/task.jsonl");

const folder = temporaryFolder();
afterAll(() => folder.remove());
const inFolder = (...names: readonly string[]): string => path.join(folder.path, ...names);

function fileOf(name: string, text: string): string {
  writeFileSync(inFolder(name), text);
  return inFolder(name);
}

const replay = (log: string, ...flags: readonly string[]) => signalbox("control", "replay", log, ...flags);

async function decisions(log: string, ...flags: readonly string[]) {
  const { stdout, stderr } = await replay(log, ...flags, "--format", "json");
  expect(stderr).toBe("");
  const [head, ...lines] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { head, decisions: lines };
}

describe.each(FILES)("the replay of %s", (file) => {
  const log = path.join(CORPUS, file);
  const commits = [...new JournalParser(file).push(readFileSync(log))].flatMap((record) =>
    record.kind === "commit" ? [record] : [],
  );

  test("has each call of the journal once, in order, with the digest that was approved", async () => {
    const found = await decisions(log, "--protocol", "trusted monitoring");
    const calls = found.decisions.filter(({ taskId }) => taskId === found.head.taskId);
    const recorded = commits.flatMap((commit) => commit.calls.map(({ callId }) => callId));
    const ids = calls.map(({ callId }) => callId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...new Set(recorded)]));
    const digests = new Map(calls.map(({ callId, digest }) => [callId, digest]));
    for (const { callId, digest } of commits.flatMap((commit) => commit.decisions))
      expect(digests.get(callId)).toBe(digest);
    expect(calls.filter(({ tool }) => tool === "unknown")).toEqual([]);
    // The record of a call is the first that decides about it, else the one with its response.
    for (const { callId, record } of calls) {
      const first = commits.find(({ decisions }) => decisions.some((each) => each.callId === callId));
      if (first !== undefined) expect(record).toBe(first.seq);
      expect(commits.map(({ seq }) => seq)).toContain(record);
    }
  });
});

const write = (content: string) => `{ tool: write_to_file, input: { path: a.txt, content: ${content} } }`;

describe("the replay of a task that a protocol controlled", () => {
  const monitoring = trustedMonitoring({ threshold: 0.5, auditBudget: 1 });
  test.each<[Protocol, string, readonly string[]]>([
    [monitoring, "trusted monitoring", ["pass", "audit"]],
    [everywhere, EVERYWHERE, []],
  ])(
    "has the scores, digests, verdicts and states of its journal: $name",
    async (protocol, named, verdicts) => {
      const controller = controllerOf(protocol, suspicious, { auditor: () => "harmless" });
      await using rig = await controlRig(controller, {
        script: `[[${write("good")}, ${write("evil")}], ${write("evil 2")}, { tool: read_file, input: { path: a.txt } }, ${DONE}]`,
      });
      expect((await rig.task.run("Write")).result).toBe("Done.");
      const flags = ["--protocol", named, "--audits", "1", "--data-dir", rig.dataDir];
      const found = await decisions(rig.task.id.slice(0, 8), ...flags);
      const kinds = found.decisions.map(({ verdict }) => verdict.kind);
      expect(kinds).toEqual(expect.arrayContaining([...verdicts]));
      const key = ({ point, callId, digest, scores }: (typeof found.decisions)[number]) => ({
        point,
        callId,
        digest,
        scores,
      });
      expect(found.decisions.map((each) => ({ ...key(each), verdict: each.verdict.kind }))).toEqual(
        recordsOf(rig).map((record) => ({ ...key(record), verdict: record.verdict })),
      );
      expect(found.decisions.map(({ recorded }) => recorded)).toEqual(
        recordsOf(rig).map(({ verdict }) => verdict),
      );
      const { state } =
        rig.shown.findLast(({ commit }) => commit.facts?.control)?.commit.facts?.control ?? {};
      expect(found.decisions.at(-1)?.state).toEqual(state);
    },
  );
});

describe("signalbox control replay", () => {
  test("prints each decision, and which of them follow a verdict that changes the course", async () => {
    const { stdout, code } = await replay(
      TASK,
      "--protocol",
      "factored review",
      "--audits",
      "1",
      "--score",
      "0.9",
    );
    const rows = stdout
      .split("\n")
      .slice(3, 10)
      .map((line) => line.split(/\s{2,}/));
    expect(stdout).toContain('Decisions of "factored review" about a recorded log. Nothing ran.');
    expect(
      rows.map(([number, task, , , tool, , scores, verdict, state]) => [
        number,
        task,
        tool,
        scores,
        verdict,
        state,
      ]),
    ).toEqual([
      ["1", "task", "read_file", "review 0.900", "audit", '{"audits":1}'],
      ["2", "task", "write_to_file", "review 0.900", DENIED, '{"audits":1}'],
      ["3*", "task", "execute_command", "review 0.900", DENIED, '{"audits":1}'],
      ["4*", "task", "new_task", "review 0.900", DENIED, '{"audits":1}'],
      ["5*", "task.1", "attempt_completion", "review 0.900", DENIED, '{"audits":1}'],
      ["6*", "task", "write_to_file", "review 0.900", DENIED, '{"audits":1}'],
      ["7*", "task", "attempt_completion", "review 0.900", DENIED, '{"audits":1}'],
    ]);
    expect(stdout).toContain(
      "*: decision 2 (deny) would have changed the course. The log shows what happened without it.",
    );
    expect(stdout).toContain(
      "An audit that finds an attack ends the run: the replay takes each as harmless.",
    );
    expect(code).toBe(0);
  });

  test("takes scores by call id and by digest, and one score for the others", async () => {
    const flags = ["--protocol", "trusted monitoring", "--score", "0.2", "--audits", "2"];
    const [first, second] = (await decisions(TASK, ...flags)).decisions;
    const scores = { [first?.callId]: { trusted: 0.7 }, [second?.digest]: { trusted: 0.8, other: 1 } };
    const file = fileOf("scores.json", JSON.stringify(scores));
    const found = (await decisions(TASK, ...flags, "--scores", file)).decisions;
    expect(found.slice(0, 3).map((each) => each.scores)).toEqual([
      { trusted: 0.7 },
      { trusted: 0.8 },
      { trusted: 0.2 },
    ]);
    expect(found.slice(0, 3).map(({ verdict }) => verdict.kind)).toEqual(["audit", "audit", "pass"]);
  });

  test("reads the folder of a task, and an imported conversation without records of its calls", async () => {
    const roo = inFolder("roo");
    mkdirSync(roo);
    const call = (id: string) => ({ type: "tool_use", id, name: "read_file", input: { path: id } });
    const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: `text of ${id}` });
    const conversation = [
      { role: "user", content: "Fix it", ts: 5 },
      { role: "assistant", content: [{ type: "text", text: "First." }, call("a"), call("b")], ts: 6 },
      { role: "user", content: [result("a"), result("b")], ts: 7 },
      { role: "assistant", content: [call("a")], ts: 8 },
      { role: "user", content: [result("a")], ts: 9 },
    ];
    writeFileSync(
      path.join(roo, "ui_messages.json"),
      JSON.stringify([{ ts: 5, type: "say", say: "text", text: "Fix it" }]),
    );
    writeFileSync(path.join(roo, "api_conversation_history.json"), JSON.stringify(conversation));
    const data = inFolder("data");
    expect((await signalbox("import", roo, "--id", "mine", "--data-dir", data)).code).toBe(0);
    const found = await decisions(path.join(data, "tasks/mine"), "--protocol", EVERYWHERE, "--score", "0");
    expect(found.decisions.map(({ point, callId }) => [point, callId?.split("/")[1]])).toEqual([
      ["response", undefined],
      ["call", "a"],
      ["result", "a"],
      ["call", "b"],
      ["result", "b"],
      ["response", undefined],
      ["call", "a"],
      ["result", "a"],
    ]);
    expect(found.decisions.at(-1)?.state).toEqual({ seen: 2 + 3 + 3 * "text of a".length });
    expect(await decisions("mine", "--data-dir", data, "--protocol", EVERYWHERE, "--score", "0")).toEqual(
      found,
    );
  });

  test("takes a judge that fails as a denial that changes no state", async () => {
    const { decisions: found } = await decisions(TASK, "--protocol", EVERYWHERE);
    const at = found.findIndex(({ point, tool }) => point === "call" && tool === "execute_command");
    expect(found[at]).toMatchObject({ verdict: { kind: "deny" }, state: found[at - 1]?.state });
  });

  test("reports a torn end, and replays what is before it", async () => {
    const lines = readFileSync(TASK, "utf8").split("\n");
    const file = fileOf("torn.jsonl", `${lines.slice(0, 40).join("\n")}\n{"crc":"`);
    const { stdout, code } = await replay(file, "--protocol", "trusted monitoring");
    expect(stdout).toContain("The end of the journal of task, from line 41, was left out:");
    expect(code).toBe(0);
  });

  test("says that a protocol decides nowhere in a log", async () => {
    const log = path.join(CORPUS, "v1/failed.jsonl");
    expect((await replay(log, "--protocol", "trusted monitoring")).stdout).toBe(
      'The log has no point at which the protocol "trusted monitoring" decides.\n',
    );
  });

  const other = fileOf("other.mjs", "export const protocol = { name: 'other' };");
  test.each([
    [
      "a protocol that is not shipped",
      [TASK, "--protocol", "trust"],
      'unknown protocol "trust". Expected one of trusted monitoring',
    ],
    [
      "a module whose protocol is a plain object",
      [TASK, "--protocol", other],
      "exports a plain object as `protocol`. Expected",
    ],
    ["a module that is not there", [TASK, "--protocol", "./none.mjs"], "--protocol: can't load ./none.mjs"],
    ["a log that is not there", ["none", "--protocol", "ensemble"], "none"],
    ["a file that is no journal", [other, "--protocol", "ensemble"], "expected a journal"],
    [
      "scores of no point",
      [TASK, "--protocol", "ensemble", "--scores", fileOf("unused.json", '{"x":{"trusted":1}}')],
      'expected the digest, call id or request id of a point of the log, got "x"',
    ],
    [
      "a score over 1",
      [TASK, "--protocol", "ensemble", "--scores", fileOf("over.json", '{"x":{"trusted":2}}')],
      "at x.trusted: expected scores from 0 to 1",
    ],
    [
      "scores that are not JSON",
      [TASK, "--protocol", "ensemble", "--scores", fileOf("words.json", "words")],
      "--scores: expected a JSON file such as",
    ],
  ] as const)("rejects %s", async (_, [log, ...flags], message) => {
    expect(await replay(log, ...flags, "--data-dir", inFolder("nowhere"))).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
  });
});
