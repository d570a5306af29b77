import { EventEmitter } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";
import { temporaryFolder } from "./process.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

async function verify(...args: readonly string[]) {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });
  const code = await main(["verify", ...args], io);
  return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(io.stderr.read() ?? "") };
}

const moduleOf = (name: string, text: string): string => {
  const file = path.join(folder.path, name);
  writeFileSync(file, text);
  return file;
};

/** A module whose protocol audits each suspicious call, over its budget of one. */
const HOLE = `export const protocol = {
  name: "uncounted",
  monitors: { monitor: { by: "function", at: "call", thresholds: [0.5] } },
  state: {},
  chances: [],
  explains: false,
  auditBudget: 1,
  judgeCall: ({ digest }, { monitor }, state) =>
    ({ digest, verdict: { kind: monitor > 0.5 ? "audit" : "pass" }, state }),
};
`;
const CALLS = ["--turns", "2", "--tools", "write"];

describe("signalbox verify --protocol", () => {
  test("explores a task that a shipped protocol controls", async () => {
    const { code, stdout, stderr } = await verify(
      "--protocol",
      "trusted monitoring",
      "--tools",
      "write",
      "--law",
      "CONTROL",
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^CONTROL +no call runs, .* holds +protocol$/m);
  });

  test("counts the transitions that are out of reach, and lists them only as JSON", async () => {
    const bounds = [
      "--protocol",
      "trusted monitoring",
      "--tools",
      "write",
      "--law",
      "CONTROL",
      "--turns",
      "1",
    ];
    const { stdout } = await verify(...bounds);
    const [, count = ""] =
      /transitions taken\n {2}not taken: (\d+), out of reach within these bounds; --format json lists them\n/.exec(
        stdout,
      ) ?? [];
    expect(stdout.match(/not taken: /g)?.length).toBeLessThanOrEqual(1 + 5);
    const { table } = JSON.parse((await verify(...bounds, "--format", "json")).stdout);
    expect(table.missed).toHaveLength(Number(count));
  });

  test("prints one shortest path to the hole of a protocol, and writes it; exit code 1", async () => {
    const journal = path.join(folder.path, "found.jsonl");
    const file = moduleOf("hole.mjs", HOLE);
    const { code, stdout } = await verify("--protocol", file, ...CALLS, "--emit-journal", journal);
    expect(code).toBe(1);
    expect(stdout).toContain('CONTROL: the protocol "uncounted" audits 2 times: expected at most 1');
    const [, first = "", ...others] = stdout.split(/^task\.start/m);
    expect(others).toEqual([]);
    expect(first.match(/^call\.hooked/gm)).toHaveLength(2);
    const verdicts = readFileSync(journal, "utf8").match(/"verdict":"audit"/g);
    expect(verdicts).toHaveLength(2);
  });

  test("rejects a protocol that decides differently within one class of its scores", async () => {
    const file = moduleOf("undeclared.mjs", HOLE.replace("monitor > 0.5", "monitor > 0.3"));
    const { code, stderr } = await verify("--protocol", file, ...CALLS);
    expect(code).toBe(1);
    expect(stderr).toContain('CUT_MISSING: Protocol "uncounted" at a call: expected one decision for');
  });

  test.each([
    ["throws", "throw new Error('boom.')", "expected a decision, got the error: boom. Correct its judge."],
    ["returns no verdict", "return { verdict: 'no', state: {} }", "expected a verdict with a kind, got"],
  ])("names the protocol and the point of a judge that %s", async (name, body, words) => {
    const judging = HOLE.replace(/judgeCall: [\s\S]*$/, `judgeCall: () => { ${body}; },\n};\n`);
    const file = moduleOf(`${name.replaceAll(" ", "-")}.mjs`, judging);
    const { code, stderr } = await verify("--protocol", file, ...CALLS);
    expect(code).toBe(1);
    expect(stderr).toContain(`[CLI] Error: VERDICT_INVALID: Protocol "uncounted" at a call: ${words}`);
  });

  test("prints the name of a protocol on one line, without invisible characters", async () => {
    const file = moduleOf("named.mjs", HOLE.replace('"uncounted"', '"un\\n\\u202ecounted"'));
    const { stdout } = await verify("--protocol", file, ...CALLS);
    expect(stdout).toContain('CONTROL: the protocol "un \\u202ecounted" audits 2 times: expected at most 1');
  });

  test("--law NI checks that nothing depends on what a monitor says, and nothing else", async () => {
    const file = moduleOf("rationales.mjs", HOLE);
    const { code, stdout } = await verify("--protocol", file, ...CALLS, "--turns", "1", "--law", "NI");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NI +two runs that differ only in what a monitor says .* holds +machine$/m);
    expect(stdout).not.toMatch(/^CONTROL/m);
  });

  test.each([
    ["trusting", 'unknown protocol "trusting". Expected one of trusted monitoring, untrusted monitoring'],
    [path.join(folder.path, "none.mjs"), "can't load"],
    [moduleOf("empty.mjs", "export const other = 1;\n"), "exports no `protocol`. Expected `export const"],
    [
      moduleOf("plain.mjs", "export const protocol = { name: 'a', monitors: {}, judgeCall: () => {} };\n"),
      "exports a plain object as `protocol`. Expected `export const protocol = defineProtocol(",
    ],
    [moduleOf("broken.mjs", "throw new Error('it is broken');\n"), "it is broken"],
  ])("refuses %s with what is expected", async (name, words) => {
    const { code, stdout, stderr } = await verify("--protocol", name);
    expect(code).toBe(1);
    expect(stderr).toContain("[CLI] Error: --protocol: ");
    expect(stderr).toContain(words);
    expect(stdout).toBe("");
  });

  test("is not for a recorded log", async () => {
    const { code, stderr } = await verify("--log", "a.jsonl", "--protocol", "trusted only");
    expect(stderr).toContain("cannot be used with option '--protocol <name|file>'");
    expect(code).toBe(1);
  });
});

describe("signalbox verify --protocol --policy", () => {
  const policyOf = (name: string, clauses: Readonly<Record<string, string>>): string => {
    const lines = Object.entries(clauses).map(([clause, always]) => `{ name: ${clause}, always: ${always} }`);
    return moduleOf(
      `${name}.yaml`,
      `version: 1\npolicies: [{ name: ${name}, clauses: [${lines.join(", ")}] }]`,
    );
  };
  const verifyPolicy = (file: string, ...more: readonly string[]) =>
    verify("--protocol", "trusted monitoring", "--tools", "write", "--law", "L8", "--policy", file, ...more);
  const suspected = "{ once: { event: call.judged, score: { trusted: { over: 0.8 } } } }";
  const started = "{ event: call.started }";

  test("explores a task that has policies about scores and verdicts: they deny what would break them", async () => {
    const file = policyOf("watched", {
      "no call after a score": `{ implies: [${started}, { not: ${suspected} }] }`,
      "no write is audited": "{ not: { event: call.started, tool: write, verdict: audit } }",
    });
    const { code, stdout } = await verifyPolicy(file, "--turns", "2");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^watched +no call after a score +\d+ +\d+ {2}holds +policies$/m);
    expect(stdout).toMatch(/^watched +no write is audited +\d+ +\d+ {2}holds +policies$/m);
    const bare = await verifyPolicy(file, "--turns", "2", "--bare");
    expect(bare.code).toBe(1);
    expect(bare.stdout).toMatch(/^watched +no call after a score +\d+ +\d+ {2}broken +no part$/m);
    expect(bare.stdout).toContain(
      "watched: clause no write is audited of policy watched; got: call.started write (audit, trusted 0.8)",
    );
  });

  test("explores each class of scores between the thresholds of the protocol and the scores in the policies", async () => {
    const passed = "event: call.judged, tool: write, verdict: pass, author: untrusted";
    const low = "score: { trusted: { over: 0.2 } }";
    const file = policyOf("classes", {
      "what passes is over it": `{ implies: [{ ${passed} }, { ${low} }] }`,
      "what passes is not over it": `{ not: { ${passed}, ${low} } }`,
      "nothing else passes": `{ not: { ${passed}, score: { trusted: { over: 0.5 } } } }`,
    });
    const { code, stdout } = await verifyPolicy(file, "--tools", "read,write", "--bare");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^classes +what passes is over it .* broken +no part$/m);
    expect(stdout).toMatch(/^classes +what passes is not over it .* broken +no part$/m);
    expect(stdout).toMatch(/^classes +nothing else passes .* holds as far as it went +no part$/m);
    expect(stdout).toContain("got: call.judged write (pass, trusted 0.2)");
  });

  test("reports what a clause tests that no explored event has", async () => {
    const file = policyOf("vacuous", {
      scores: "{ not: { score: { other: { over: 0.5 }, trusted: { over: 0.5 } }, verdict: resample } }",
      arguments: "{ not: { argument: { encoding: utf8 } } }",
    });
    const linesOf = ({ stdout }: { readonly stdout: string }) =>
      stdout.split("\n").filter((line) => line.startsWith("vacuous, "));
    const since = "so the verdict says nothing about it. Check recorded logs: --log FILE.";
    expect(linesOf(await verifyPolicy(file))).toEqual([
      `vacuous, scores: explored calls have no score of other, ${since}`,
      `vacuous, arguments: explored calls have no argument.encoding, ${since}`,
    ]);
    expect(linesOf(await verify("--tools", "write", "--law", "L8", "--policy", file))).toEqual([
      `vacuous, scores: explored calls have no protocol, score of other, score of trusted, ${since}`,
      `vacuous, arguments: explored calls have no argument.encoding, ${since}`,
    ]);
  });
});
