import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { AUDITS } from "../../verify/controlled.ts";
import { CoverageMeter } from "../../verify/coverage.ts";
import { ALL_LAWS, DEFAULT_CASES } from "../../verify/index.ts";
import { NON_INTERFERENCE } from "../../verify/interference.ts";
import { MONITORED_LAWS } from "../../verify/monitor/monitored-laws.ts";
import { LAWS_OF, OWNERSHIP_CASES } from "../../verify/ownership/cases.ts";
import { PAIR_CASE } from "../../verify/subtasks/case.ts";
import { PAIR_LAWS, PAIR_PROGRESS } from "../../verify/subtasks/laws.ts";
import { pages } from "../examples-in-docs/program.ts";

const textOf = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

const laws = textOf("docs/concepts/laws.md");
const verification = textOf("docs/internals/verification.md");
const figures = textOf("docs/generated/verification.txt");

const explored = [...new Set(["L13", "NI", ...[...ALL_LAWS, ...PAIR_LAWS].map(({ id }) => id)])];
const described = [...laws.matchAll(/^\|\*\*(\w+)\*\*/gm)].map(([, id = ""]) => id);

/** The ids that a sentence of the page lists. */
const idsIn = (sentence: RegExp): readonly string[] =>
  (laws.match(sentence)?.[1] ?? "").split(/, | and /).filter((id) => id !== "");

describe("the page of the laws (LIFE-GAP-016, LIFE-GAP-034)", () => {
  it("describes each explored law once", () => {
    expect(explored.filter((id) => !described.includes(id))).toEqual([]);
    expect(described).toEqual([...new Set(described)]);
  });

  it("has the name of each law that recorded commits are checked against", () => {
    for (const [id, { name }] of Object.entries(MONITORED_LAWS))
      expect(laws).toContain(`|**${id}** ${name}|`);
  });

  it("names the laws that no exploration checks, and no other", () => {
    const others = described.filter((id) => !explored.includes(id));
    expect(idsIn(/^All laws but ([\w, ]+) are checked by exploration/m)).toEqual(others);
  });
});

describe("the figures of the verification (LIFE-GAP-016, LIFE-GAP-034)", () => {
  it("cover exactly the laws that exist", () => {
    const [table = ""] = figures.split("\n\nexploration ");
    const lines = table.split("\n").slice(1);
    const written = lines.map((line) => line.replace(/^(\w+) +(.*?) {2,}.*$/, "$1 $2"));
    expect(written).toEqual([
      ...ALL_LAWS.map(({ id, title }) => `${id} ${title}`),
      "L13 from every state some events lead to idle",
      `${AUDITS.id} ${AUDITS.title}`,
      `${NON_INTERFERENCE.law} ${NON_INTERFERENCE.title}`,
      ...PAIR_LAWS.map(({ id, title }) => `${id} ${title}`),
      `${PAIR_PROGRESS.law} ${PAIR_PROGRESS.title}`,
    ]);
  });

  it("cover exactly the explorations that exist, with the bounds of each", () => {
    const cases = [...DEFAULT_CASES, PAIR_CASE];
    for (const { name } of cases) {
      expect(figures).toMatch(new RegExp(`^${name} {2,}\\d+ .* complete$`, "m"));
      expect(figures).toMatch(new RegExp(`^${name}: turns `, "m"));
    }
    for (const { name } of OWNERSHIP_CASES) {
      expect(figures).toMatch(new RegExp(`^${name} {2,}\\d+ .* complete$`, "m"));
      expect(figures).toMatch(new RegExp(`^${name}: workers `, "m"));
    }
    const rows = figures.match(/\d +complete$/gm) ?? [];
    expect(rows.length).toBe(cases.length + OWNERSHIP_CASES.length);
  });

  it("cover exactly the laws of the owners and of the inbox of a task", () => {
    const [, after = ""] = figures.split("\n\nlaw ");
    const [table = ""] = after.split("\n\n");
    const written = table
      .split("\n")
      .slice(1)
      .map((line) => line.replace(/^(\w+) +(\w+) +(.*?) {2,}\d+ {2}holds$/, "$1 $2 $3"));
    expect(written).toEqual(
      (["owners", "inbox"] as const).flatMap((of) =>
        LAWS_OF[of].map(({ id, says }) => `${id} ${of} ${says}`),
      ),
    );
  });

  it("say that each transition of a task and of a call was taken", () => {
    const { transitions, calls } = new CoverageMeter(taskMachine).coverage;
    expect(figures).toMatch(
      new RegExp(
        `^${transitions.size} of the machine's ${transitions.size} transitions taken\n` +
          `${calls.size} of a tool call's ${calls.size} transitions taken$`,
        "m",
      ),
    );
  });

  it("stand in the generated file only", () => {
    const figure = /\b\d[\d,]* (?:states|transitions|macrosteps|explorations)\b/;
    expect(pages.filter((page) => figure.test(textOf(page)) && !page.includes("performance"))).toEqual([]);
  });
});

describe("the page of the verification (LIFE-GAP-016)", () => {
  it("lists options that the command has", () => {
    const command =
      textOf("cli/commands/verify.ts") +
      textOf("cli/commands/simulate.ts") +
      textOf("cli/verify/counterexample.ts");
    const options = [...verification.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(([, name = ""]) => name);
    const own = new Set(["write", "mutate", "force", "at", "format"]);
    expect(options.filter((name) => !own.has(name) && !command.includes(`"--${name}`))).toEqual([]);
  });
});
