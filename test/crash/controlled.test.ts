import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { program } from "../support/program.ts";

/** The audits that the protocol of the child may use. */
const AUDITS = 2;

interface Ended {
  readonly isKilled: boolean;
  readonly printed: string;
}

function runChild(child: string, order: object): Ended {
  try {
    const printed = execFileSync(process.execPath, [child, JSON.stringify(order)], { encoding: "utf8" });
    return { isKilled: false, printed };
  } catch (error) {
    if (error instanceof Error && "signal" in error && error.signal === "SIGKILL")
      return { isKilled: true, printed: "" };
    throw error;
  }
}

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "controlled-"));
  mkdirSync(path.join(folder, "workspace"));
  return folder;
}

function linesIn(folder: string): readonly string[] {
  const dir = path.join(folder, "journal");
  const file = existsSync(dir) ? readdirSync(dir).find((name) => name.endsWith(".jsonl")) : undefined;
  return file === undefined ? [] : readFileSync(path.join(dir, file), "utf8").split("\n").slice(0, -1);
}

const auditsIn = (lines: readonly string[]): number =>
  lines.join("\n").match(/"verdict":"audit"/g)?.length ?? 0;

test("a budget of audits holds although the process is killed at each record: the task ends with its last audit", async () => {
  const child = await program(new URL("./controlled.child.ts", import.meta.url));
  const whole = newFolder();
  expect(runChild(child, { folder: whole, reopen: false })).toEqual({
    isKilled: false,
    printed: "shut_down",
  });
  const lengths = linesIn(whole).map((line) => Buffer.byteLength(line));
  expect(auditsIn(linesIn(whole))).toBe(AUDITS);
  expect(readdirSync(path.join(whole, "workspace"))).toHaveLength(AUDITS);
  let kills = 0;
  for (const [record, length] of lengths.entries()) {
    const folder = newFolder();
    const at = { record, byte: record % 2 === 0 ? Math.floor(length / 2) : length + 1 };
    kills += Number(runChild(child, { folder, at, reopen: false }).isKilled);
    const reopen = linesIn(folder).length > 1;
    expect(runChild(child, { folder, reopen }).printed).toBe("shut_down");
    expect(auditsIn(linesIn(folder))).toBe(AUDITS);
    expect(readdirSync(path.join(folder, "workspace")).length).toBeLessThanOrEqual(AUDITS);
    rmSync(folder, { recursive: true });
  }
  rmSync(whole, { recursive: true });
  expect(kills).toBe(lengths.length);
}, 300_000);
