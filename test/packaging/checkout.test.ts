import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Process } from "../cli/process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
const checkout = path.join(folder, "checkout");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of a fresh checkout, after `npm ci`. */
beforeAll(() => {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  for (const file of files.split("\0"))
    if (file !== "" && existsSync(path.join(root, file))) {
      mkdirSync(path.dirname(path.join(checkout, file)), { recursive: true });
      cpSync(path.join(root, file), path.join(checkout, file));
    }
  symlinkSync(path.join(root, "node_modules"), path.join(checkout, "node_modules"));
});

const signalbox = (...args: readonly string[]): Process =>
  new Process(path.join(checkout, "cli/npm/signalbox.js"), args);
const inspect = (): Process => signalbox("inspect", "--data-dir", path.join(folder, "data"));

const BUILDING = "Building the debugger page of this checkout.";

test("README's `npx signalbox inspect` serves the page of a fresh checkout, which is built once", async () => {
  const first = inspect();
  await first.said("Open http");
  expect(first.stderr).toContain(BUILDING);
  const [address = ""] = /http:[^#\s]+/.exec(first.stdout) ?? [];
  const page = await fetch(address);
  expect(page.status).toBe(200);
  const [, script = ""] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
  const app = await fetch(new URL(script, address));
  expect([app.status, app.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
  // The parts that the library loads later are beside it.
  const built = path.join(checkout, "visualize/dist/page");
  const library = readFileSync(path.join(built, "embed.js"), "utf8");
  const parts = [...library.matchAll(/import\([`"']\.\/([^`"']+)/g)].map(([, file = ""]) => file);
  expect(parts.length).toBeGreaterThan(1);
  for (const file of parts) expect(existsSync(path.join(built, file)), file).toBe(true);
  first.child.kill("SIGTERM");
  await first.code;

  const second = inspect();
  await second.said("Open http");
  expect(second.stderr).not.toContain(BUILDING);
  second.child.kill("SIGTERM");
  await second.code;

  const later = new Date(Date.now() + 10_000);
  utimesSync(path.join(checkout, "verify/monitor/commits.ts"), later, later);
  const third = signalbox("verify", "--max-states", "1", "--emit-report", path.join(folder, "report.html"));
  await third.said(BUILDING);
  third.child.kill("SIGTERM");
  await third.code;
  expect(readdirSync(path.join(checkout, "visualize/dist"))).toEqual(["page"]);
});

test("another command builds nothing", async () => {
  const process = signalbox("--version");
  expect(await process.end()).toBe(0);
  expect(process.stderr).toBe("");
});
