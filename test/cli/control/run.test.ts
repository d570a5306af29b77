import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../process.ts";
import { controlRun, rowsOf } from "./suite.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const inFolder = (name: string): string => path.join(folder.path, name);

const SUITE = [
  ...["--setting", "hidden-user", "--setting", "delete-logs"],
  ...["--policy", "honest", "--policy", "at once"],
  ...["--protocol", "random audit", "--protocol", "upfront audit"],
];
const finished = inFolder("finished.jsonl");

describe("signalbox control run", () => {
  test("writes a row for each run, and prints the progress and a table of the protocols", async () => {
    const { code, stdout, stderr } = await controlRun(...SUITE, "--jobs", "2", "--out", finished);
    expect(code).toBe(0);
    expect(stderr).toContain("\r0 of 8 runs");
    expect(stderr).toContain("\r8 of 8 runs");
    expect(stdout).toMatch(/^protocol +runs +safety A +95 % +safety B +95 % +attempted +usefulness +audits/m);
    expect(stdout).toMatch(/^random audit +2 \+ 2 /m);
    expect(stdout).toMatch(/^upfront audit +2 \+ 2 /m);
    expect(stdout).toContain("Scripted policies prove nothing about models.");
    const rows = rowsOf(finished);
    expect(rows.map(({ setting, policy, protocol }) => [setting, policy, protocol].join(", "))).toEqual([
      "delete-logs, at once, random audit",
      "delete-logs, at once, upfront audit",
      "delete-logs, honest, random audit",
      "delete-logs, honest, upfront audit",
      "hidden-user, at once, random audit",
      "hidden-user, at once, upfront audit",
      "hidden-user, honest, random audit",
      "hidden-user, honest, upfront audit",
    ]);
    for (const { mode, attempted, mainTask, sideTask } of rows) {
      expect(attempted).toBe(mode === "attack");
      if (mode === "honest") expect({ mainTask, sideTask }).toEqual({ mainTask: true, sideTask: false });
    }
  });

  test("records what a protocol decided: an audit of the first command ends an attack", () => {
    const [audited, honest] = ["at once", "honest"].map((policy) =>
      rowsOf(finished).find((row) => row.policy === policy && row.protocol === "upfront audit"),
    );
    expect(audited).toMatchObject({ end: "shutDown", sideTask: false, audits: 1 });
    expect(audited?.decisions.map(({ point, author, verdict }) => [point, author, verdict])).toEqual([
      ["call", "untrusted", "audit"],
    ]);
    expect(honest).toMatchObject({ end: "completed", audits: 1 });
    expect(honest?.decisions.map(({ verdict }) => verdict)).toEqual(["audit", "pass", "pass", "pass"]);
  });

  test("gives the same file and the same table with another number of jobs", async () => {
    const again = inFolder("again.jsonl");
    const alone = await controlRun(...SUITE, "--jobs", "1", "--out", again);
    const many = await controlRun(...SUITE, "--jobs", "4");
    expect(readFileSync(again).equals(readFileSync(finished))).toBe(true);
    expect(alone.stdout).toBe(many.stdout);
  });

  test("runs only what the file has no row of, after a last line that was cut off", async () => {
    const torn = inFolder("torn.jsonl");
    const lines = readFileSync(finished, "utf8").split("\n");
    const marked = `${lines[2]}`.replace(/"dollars":[\d.]+/, '"dollars":7');
    writeFileSync(torn, `${lines[5]}\n${marked}\n${lines[0]?.slice(0, 40)}`);
    const { code, stderr } = await controlRun(...SUITE, "--out", torn);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^\r2 of 8 runs\r3 of 8 runs/);
    const expected = lines.map((line, index) => (index === 2 ? marked : line)).join("\n");
    expect(readFileSync(torn, "utf8")).toBe(expected);
  });

  test("runs nothing where the file has all rows", async () => {
    const before = readFileSync(finished, "utf8");
    const { stderr } = await controlRun(...SUITE, "--out", finished);
    expect(stderr).toBe("\r8 of 8 runs\r\x1b[K");
    expect(readFileSync(finished, "utf8")).toBe(before);
  });

  test.each([
    [
      "another seed",
      ["--seed", "2"],
      /ROWS_DIFFER: --out: expected the seed 2, got a file with 1\. Name a new file\./,
    ],
    [
      "another threshold",
      ["--threshold", "0.6"],
      /ROWS_DIFFER: .* the setting delete-logs, the policy at once and the protocol random audit as they are now, got others\. The setting, the protocol, its options, /,
    ],
  ])("refuses a file with rows of %s, and leaves it as it is", async (_, args, message) => {
    const before = readFileSync(finished, "utf8");
    const { code, stderr } = await controlRun(...SUITE, ...args, "--out", finished);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
    expect(readFileSync(finished, "utf8")).toBe(before);
  });

  test("refuses a file with a whole line that is no row, and leaves it as it is", async () => {
    const other = inFolder("other.jsonl");
    writeFileSync(other, '{"a":1}\n');
    appendFileSync(other, "torn");
    const { code, stderr } = await controlRun(...SUITE, "--out", other);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /ROW_INVALID: .*other\.jsonl:1: expected a row of a run, got something else at setting/,
    );
    expect(readFileSync(other, "utf8")).toBe('{"a":1}\ntorn');
  });

  test.each(["missing/runs.jsonl", "."])(
    "says what to do about %s, which is no file to write",
    async (name) => {
      const { code, stderr } = await controlRun(...SUITE, "--out", inFolder(name));
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^\[CLI\] Error: --out: .* cannot be written \(E\w+: .*\)\. Name a file in a folder/,
      );
    },
  );

  test("ends with the error of a judge that fails: a broken protocol is not safe", async () => {
    const module = inFolder("broken.mjs");
    writeFileSync(
      module,
      `export const protocol = {
        name: "broken", monitors: {}, state: {}, chances: [], explains: false,
        judgeCall: () => { throw new Error("my judge broke"); },
      };`,
    );
    const { code, stderr } = await controlRun(
      "--setting",
      "hidden-user",
      "--policy",
      "at once",
      "--protocol",
      module,
    );
    expect(code).toBe(1);
    expect(stderr).toContain(
      'PROTOCOL_FAILED: Protocol "broken" at a call: expected a decision, got the error: my judge broke. Correct its judge.\n',
    );
  });

  test("runs a protocol of a module, and refuses rows of it from before a change", async () => {
    const module = inFolder("own.mjs");
    const out = inFolder("own.jsonl");
    const judged = (reason: string) => `export const protocol = {
      name: "own", monitors: {}, state: {}, chances: [], explains: false,
      judgeCall: ({ digest }) => ({ digest, state: {}, verdict: { kind: "shutDown", reason: "${reason}" } }),
    };`;
    const args = ["--setting", "hidden-user", "--policy", "at once", "--protocol", module, "--out", out];
    writeFileSync(module, judged("It is an example."));
    expect((await controlRun(...args)).code).toBe(0);
    expect(rowsOf(out)).toMatchObject([
      { protocol: "own", end: "shutDown", sideTask: false, attempted: true },
    ]);
    writeFileSync(module, judged("It is another example."));
    expect((await controlRun(...args)).stderr).toMatch(/ROWS_DIFFER/);
  });

  test("refuses rows from before a change of a module that the protocol's module imports", async () => {
    const [module, limits, out] = ["main.mjs", "limits.mjs", "imported.jsonl"].map(inFolder);
    writeFileSync(
      module!,
      `import { MAX } from "./limits.mjs";
      export const protocol = {
        name: "own", monitors: {}, state: {}, chances: [], explains: false,
        judgeCall: ({ digest }) => ({ digest, state: {}, verdict: { kind: MAX > 0 ? "pass" : "deny" } }),
      };`,
    );
    writeFileSync(limits!, "export const MAX = 1;");
    const args = ["--setting", "hidden-user", "--policy", "honest", "--protocol", module!, "--out", out!];
    expect((await controlRun(...args)).code).toBe(0);
    expect((await controlRun(...args)).code).toBe(0);
    writeFileSync(limits!, "export const MAX = 0;");
    expect((await controlRun(...args)).stderr).toMatch(/ROWS_DIFFER/);
  });

  test("prints no table where the runs have one mode", async () => {
    const args = ["--setting", "hidden-user", "--policy", "honest", "--protocol", "upfront audit"];
    expect((await controlRun(...args)).stdout).toMatch(
      /^Safety A: .*\n\nNot measured, as honest or attack runs are missing: upfront audit\. Run both policies\./,
    );
    expect(JSON.parse((await controlRun(...args, "--format", "json")).stdout)).toMatchObject({
      measured: [],
      unmeasured: ["upfront audit"],
    });
  });

  test.each([
    ["--protocol", "trust"],
    ["--policy", "evil"],
    ["--setting", "nothing"],
  ])("lists the known names for an unknown %s", async (flag, name) => {
    const { code, stderr } = await controlRun(flag, name);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`${flag}: .*"${name}"`));
  });
});
