import path from "node:path";
import { expect, test } from "vitest";
import { SignalboxError } from "../../machines/signalbox-error.ts";
import { doors, root } from "../examples-in-docs/program.ts";

/** Their modules need a page of a browser. */
const IN_A_PAGE: ReadonlySet<string> = new Set(["@signalbox/debugger/page"]);

test("every error that an entry exports is a SignalboxError", async () => {
  const found: string[] = [];
  for (const [entry, source] of doors) {
    if (IN_A_PAGE.has(entry)) continue;
    const module: Readonly<Record<string, unknown>> = await import(path.join(root, source));
    for (const [name, value] of Object.entries(module)) {
      if (typeof value !== "function" || !(value.prototype instanceof Error) || value === SignalboxError)
        continue;
      expect(value.prototype instanceof SignalboxError, `${name} of ${entry}`).toBe(true);
      found.push(name);
    }
  }
  expect(found).toContain("HostError");
  expect(found.length).toBeGreaterThan(15);
});
