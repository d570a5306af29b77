import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fc, test as property } from "@fast-check/vitest";
import { afterAll, describe, expect, test } from "vitest";
import { TracePageError } from "../../../server/page/built-page.ts";
import { tracePage } from "../../../server/page/trace-page.ts";
import { traceOfJournal } from "../../../visualize/trace/index.ts";
import { NOTHING_VERIFIED } from "../../support/nothing-verified.ts";

const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HOSTILE = ["</script>", "<!--", "<script>", "-->", "]]>", "&lt;", '"', "'", "\u2028", "\ud800", "\0"];
const text = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string()), { maxLength: 6 })
  .map((all) => all.join(""));

/** A small built page: its script contains, in a string, what would end a script element. */
writeFileSync(
  path.join(folder, "embed.js"),
  'var signalbox = { said: "<!--<script></SCRIPT>" };\nexport const { said } = signalbox;\n',
);
writeFileSync(
  path.join(folder, "embed-markdown.js"),
  "var signalboxMarkdown = {};\nexport const {} = signalboxMarkdown;\n",
);
writeFileSync(path.join(folder, "embed.css"), ".signalbox { color: red }");

const traceTitled = (title: string) =>
  traceOfJournal([{ seq: 0, kind: "header", version: 2, taskId: "t1", createdAt: 0, title }]);
const pageOf = (title: string, options: Partial<Parameters<typeof tracePage>[1]> = {}) =>
  tracePage(traceTitled(title), { title, page: folder, ...options });

const violationOf = (what: string) => ({ law: "L8", what, exploration: "small", trace: what });

/** The contents of all elements with this name. */
const within = (page: string, name: string): readonly string[] =>
  [...page.matchAll(new RegExp(`<${name}\\b[^>]*>(.*?)</${name}>`, "gs"))].map(([, content = ""]) => content);

describe("a trace as a page", () => {
  property.prop([text, text])(
    "holds the trace as it is, and no text of it can begin or end a tag",
    async (title, notice) => {
      const page = await pageOf(title, { notice });
      const [data = "", ...scripts] = within(page, "script");
      expect(data).not.toContain("<");
      expect(
        data
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toEqual(JSON.parse(JSON.stringify(traceTitled(title))));
      expect(scripts).toHaveLength(3);
      for (const script of scripts) expect(script).not.toMatch(/<!--|<\/?script|\nexport/i);
      expect(page.match(/<script\b/gi)).toHaveLength(4);
      expect(within(page, "title")[0]).not.toContain("<");
      expect(within(page, "p")[0]).not.toContain("<");
    },
  );

  test("has a policy that allows only its own scripts and style, by hash", async () => {
    const page = await pageOf("A task", { at: 3 });
    const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const hash = (part = "") => `'sha256-${createHash("sha256").update(part).digest("base64")}'`;
    const [, ...scripts] = within(page, "script");
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${scripts.map(hash).join(" ")}`,
      `style-src ${hash(within(page, "style")[0])}`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(page.indexOf("http-equiv")).toBeLessThan(page.indexOf("<style>"));
    expect(page).not.toMatch(/(src|href)="(?!data:)/);
  });

  test("shows a notice, and opens at the given event", async () => {
    expect(within(await pageOf("A task", { notice: "L1: it broke" }), "p")).toEqual(["L1: it broke"]);
    expect(within(await pageOf("A task"), "p")).toEqual([]);
    expect(await pageOf("A task", { at: 3 })).toContain("at: 3,");
    expect(await pageOf("A task")).not.toContain("at:");
  });

  property.prop([text])(
    "holds a counterexample as it is, and no text of it can begin a tag",
    async (what) => {
      const counterexample = { law: "L8", title: "a law", what, event: "task.start", seq: 0, test: what };
      const page = await pageOf("A task", { counterexample });
      const [, data = "", ...scripts] = within(page, "script");
      expect(data).not.toContain("<");
      expect(JSON.parse(data)).toEqual(JSON.parse(JSON.stringify(counterexample)));
      expect(scripts.at(-1)).toContain("counterexample");
    },
  );

  property.prop([text])("holds a verification as it is, and opens at it", async (what) => {
    const page = await pageOf("A task", {
      verification: { ...NOTHING_VERIFIED, violations: [violationOf(what)] },
    });
    const [, data = "", ...scripts] = within(page, "script");
    expect(data).not.toContain("<");
    expect(JSON.parse(data).violations).toEqual([JSON.parse(JSON.stringify(violationOf(what)))]);
    expect(scripts.at(-1)).toContain('view: "verification",');
    expect(await pageOf("A task")).not.toContain("view:");
  });

  test("without events is an empty list of events", async () => {
    const page = await tracePage([], { title: "Nothing", page: folder });
    expect(within(page, "script")[0]).toBe("[]");
  });

  test("is rejected if the page is not built, with the command that builds it", async () => {
    const error = await pageOf("A task", { page: path.join(folder, "none") }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(TracePageError);
    expect(error).toMatchObject({
      code: "PAGE_NOT_BUILT",
      message: expect.stringContaining("npm run build"),
    });
  });
});
