import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { benches } from "../../bench/benches.ts";
import { withSection } from "../../bench/generated-file.ts";
import { table } from "../../bench/harness/index.ts";
import { SUBJECTS } from "../../bench/subjects.ts";

const MAIN = fileURLToPath(new URL("../../bench/main.ts", import.meta.url));

/** Runs `npm run bench` with these arguments, to its end. */
async function bench(...args: readonly string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", MAIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { output, errors, code };
}

test("two versions are compared by ratios with intervals, and an unknown commit is an error", async () => {
  const { output, errors, code } = await bench("--size", "tiny", "--compare", "HEAD");
  const rows = output.split("\n").filter((line) => line.includes("now : HEAD"));
  expect(
    rows.map((row) => row.split("|")[1]?.trim()),
    errors,
  ).toEqual([
    "CPU of a turn, now : HEAD",
    "CPU of a delta, now : HEAD",
    "memory of a task at rest, now : HEAD",
  ]);
  for (const row of rows)
    expect(row).toMatch(/ x .*\| at most 1\.05 x \| (?:holds|MISSED) +\| \d+\.\d\d to \d+\.\d\d; /);
  expect(code).toBe(output.includes("MISSED") ? 1 : 0);
  const unknown = await bench("--size", "tiny", "--compare", "no-such-commit");
  expect(unknown.errors).toContain('Expected a commit to compare with, got "no-such-commit"');
  expect(unknown.code).toBe(1);
});

test("every bench runs, the output names the machine and the result of each limit, and no turn or delta costs ten times the SDK", async () => {
  const { output, errors, code } = await bench("--size", "tiny");
  expect(output, errors).toMatch(/^.+, \d+ cores, .+, node v\d.+, load \d+\.\d\d at the start\n\n\| what/);
  for (const name of benches.keys()) expect(errors).toMatch(new RegExp(`^${name}: \\d+ s$`, "m"));
  const rows = output
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2);
  for (const row of rows) {
    const [, , value = "", limit = "", verdict = ""] = row.split("|").map((cell) => cell.trim());
    expect(Number.isFinite(Number.parseFloat(value)), row).toBe(true);
    expect(verdict, row).toMatch(limit === "" ? /^$/ : /^(?:holds|MISSED)$/);
  }
  expect(rows.length).toBeGreaterThan(20);
  // Ratios of CPU time hardly change under load. With so few turns and deltas they compare the starts: 1.6 to 2.7 were measured.
  const ratios = rows.filter((row) =>
    /^\| CPU of a (?:turn|delta)\b.* : (?:hand-written|bare|raw)/.test(row),
  );
  expect(ratios.length).toBe(3);
  for (const row of ratios) expect(Number.parseFloat(row.split("|")[2] ?? ""), row).toBeLessThan(10);
  expect(code).toBe(output.includes("MISSED") ? 1 : 0);
});

test("an unknown bench is rejected with the names of the known ones", async () => {
  const { errors, code } = await bench("--only", "everything");
  expect(errors).toContain(
    "Allowed choices are streaming, tool-input, log-length, asks, tasks, subtasks, turns",
  );
  expect(code).toBe(1);
});

test("the table has the ratios first, and the result of each limit", () => {
  const rows = [
    { name: "memory", value: 12.34, unit: "KB", limit: 10, ok: false, detail: "of one" },
    { name: "time", value: 1.5, unit: "ms", ok: true, detail: "of two" },
    { name: "long : short", value: 1.25, unit: "x", limit: 3, ok: true, detail: "of three" },
    { name: "many : one", value: 0.5, unit: "x", minimum: 0.6, ok: false, detail: "of four" },
  ];
  expect(table(rows)).toBe(
    [
      "| what         | value   | limit           |        | detail   |",
      "| ------------ | ------- | --------------- | ------ | -------- |",
      "| long : short | 1.25 x  | at most 3.00 x  | holds  | of three |",
      "| many : one   | 0.50 x  | at least 0.60 x | MISSED | of four  |",
      "| memory       | 12.3 KB | at most 10.0 KB | MISSED | of one   |",
      "| time         | 1.50 ms |                 |        | of two   |",
    ].join("\n"),
  );
});

test("the generated file keeps the sections of other benches, and appends new ones", () => {
  const file = "== a ==\n\nold\n\n== b ==\n\nold\n";
  const renewed = "== a ==\n\nnew\n\n== b ==\n\nold\n";
  expect(withSection(file, "a", "new")).toBe(renewed);
  expect(withSection(renewed, "a", "new")).toBe(renewed);
  expect(withSection(renewed, "c", "first")).toBe(`${renewed}\n== c ==\n\nfirst\n`);
  expect(withSection("", "a", "new")).toBe("== a ==\n\nnew\n");
});

test("each bench has a subject, which the page on performance lists", () => {
  expect(Object.keys(SUBJECTS).toSorted()).toEqual([...benches.keys()].toSorted());
});
