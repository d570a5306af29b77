import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readModes } from "../../../settings/index.ts";

const page = readFileSync("docs/guide/modes.md", "utf8");
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the guide of modes", () => {
  test("has an example of .signalbox/modes.yaml that is read", async () => {
    const [, example = ""] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
    mkdirSync(path.join(folder, ".signalbox"));
    writeFileSync(path.join(folder, ".signalbox/modes.yaml"), example);
    expect(await readModes(folder)).toMatchObject([
      { slug: "docs", permissions: [{ group: "read" }, { files: { pattern: "^docs/.*\\.md$" } }] },
    ]);
  });
});
