import { describe, expect, test } from "vitest";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { ImageBlock } from "../../../machines/conversation/entry.ts";
import type { Artifacts } from "../../../ports/artifacts.ts";
import { builtinTools } from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";

const TEXT = "0123456789";
const IMAGE: ImageBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
};

function prepared(input: Record<string, unknown>, maxChars?: number) {
  const tools = builtinTools(maxChars === undefined ? {} : { artifact: { maxChars } });
  const preparation = createRegistry(tools).find("read_artifact")?.prepare(input);
  if (preparation?.ok !== true) throw new Error(preparation?.error);
  return preparation.call;
}

const keeping = (text: string): Artifacts => ({
  read: (id) => (id === "t1" ? { text, images: [IMAGE] } : undefined),
});

async function contentOf(
  input: Record<string, unknown>,
  { artifacts = keeping(TEXT), maxChars }: { artifacts?: Artifacts | undefined; maxChars?: number } = {},
) {
  const { content } = await prepared({ id: "t1", ...input }, maxChars).execute({
    workspace: await openWorkspace("."),
    shell: systemShell(),
    signal: new AbortController().signal,
    output: () => {},
    progress: () => {},
    artifacts,
  });
  return content.map((block) => (block.type === "text" ? block.text : block));
}

describe("read_artifact", () => {
  test("returns the exact text, and the images", async () => {
    expect(await contentOf({})).toEqual([TEXT, IMAGE]);
    expect(await contentOf({ offset: null, limit: null })).toEqual([TEXT, IMAGE]);
  });

  test("returns a part, and says where it is and how to continue", async () => {
    expect(await contentOf({ limit: 4 })).toEqual([
      "0123",
      "[Characters 0 to 4 of 10. Continue with the offset 4.]",
      IMAGE,
    ]);
    expect(await contentOf({ offset: 4, limit: 6 })).toEqual(["456789", "[Characters 4 to 10 of 10.]"]);
  });

  test("returns at most as many characters as the option allows, 50,000 by default", async () => {
    expect((await contentOf({ limit: 9 }, { maxChars: 3 }))[0]).toBe("012");
    const long = keeping("x".repeat(60_000));
    expect((await contentOf({ limit: 55_000 }, { artifacts: long }))[0]).toHaveLength(50_000);
  });

  test("splits no character", async () => {
    const artifacts = keeping("ab👋c");
    expect((await contentOf({ limit: 3 }, { artifacts }))[0]).toBe("ab");
    expect((await contentOf({ offset: 2, limit: 1 }, { artifacts }))[0]).toBe("👋");
    expect((await contentOf({ offset: 2, limit: 2 }, { artifacts }))[0]).toBe("👋");
  });

  test("rejects an offset behind the end with the length", async () => {
    await expect(contentOf({ offset: 10 })).rejects.toMatchObject({
      code: "ARGUMENTS_INVALID",
      message: expect.stringContaining("has 10 characters"),
    });
    expect(await contentOf({}, { artifacts: keeping("") })).toEqual(["", IMAGE]);
  });

  test("rejects an unknown id, and says what to do", async () => {
    const error = {
      code: "NOT_FOUND",
      message: expect.stringMatching(/no artifact 't2'.*Use an id .*was condensed since.*call the tool/),
    };
    await expect(contentOf({ id: "t2" })).rejects.toMatchObject(error);
    await expect(prepared({ id: "t2" }).execute({} as never)).rejects.toMatchObject(error);
  });

  describe("of a command's full output", () => {
    /** In chunks of three bytes. Records where reads begin. */
    function outputOf(text: string | Buffer) {
      const bytes = Buffer.from(text);
      const begun: number[] = [];
      const output = async (id: string) => {
        if (id !== "output/1.log") return undefined;
        const read = async function* (from: number) {
          begun.push(from);
          for (let at = from; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
        };
        return { bytes: bytes.length, read };
      };
      const artifacts: Artifacts = { read: () => undefined, output };
      const part = (input: Record<string, unknown>) =>
        contentOf({ id: "output/1.log", ...input }, { artifacts });
      return { part, begun };
    }

    test("returns all of it, or a part that begins at a byte, and reads only that part", async () => {
      const { part, begun } = outputOf(TEXT);
      expect(await part({})).toEqual([TEXT]);
      expect(await part({ limit: 4 })).toEqual(["0123", "[Bytes 0 to 4 of 10. Continue with the offset 4.]"]);
      expect(await part({ offset: 4, limit: 6 })).toEqual(["456789", "[Bytes 4 to 10 of 10.]"]);
      expect(begun).toEqual([0, 0, 4]);
      expect(await outputOf("").part({})).toEqual([""]);
    });

    test("its parts, each continued with the next offset, are the whole, and split no character", async () => {
      for (const text of ["aé👋日本語\n".repeat(40), "👋".repeat(50), "x".repeat(99)]) {
        const { part } = outputOf(text);
        for (const limit of [1, 2, 3, 7, 50]) {
          let whole = "";
          for (let offset: number | undefined = 0; offset !== undefined; ) {
            const [shown, note] = await part({ offset, limit });
            expect(shown).not.toContain("\uFFFD");
            whole += shown;
            const next: string | undefined = /with the offset (\d+)/.exec(String(note))?.[1];
            offset = next === undefined ? undefined : Number(next);
          }
          expect(whole).toBe(text);
        }
      }
    });

    test("an offset inside a character begins with the next one", async () => {
      expect(await outputOf("é👋c").part({ offset: 3 })).toEqual(["c", "[Bytes 6 to 7 of 7.]"]);
    });

    test("an output that ends inside a character is read to its end", async () => {
      const cut = Buffer.from("ab👋").subarray(0, 5);
      expect(await outputOf(cut).part({ offset: 1 })).toEqual(["b\uFFFD", "[Bytes 1 to 5 of 5.]"]);
    });

    test("rejects an offset behind the end, and an unknown id", async () => {
      const { part } = outputOf(TEXT);
      await expect(part({ offset: 10 })).rejects.toMatchObject({
        code: "ARGUMENTS_INVALID",
        message: expect.stringContaining("has 10 bytes"),
      });
      await expect(part({ id: "output/2.log" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    });
  });

  test("shows the id, and has no path", async () => {
    const description = await prepared({ id: "t1" }).describe({ workspace: await openWorkspace(".") });
    expect(description).toEqual({ text: '{"tool":"readArtifact","artifact":"t1"}', paths: [] });
    expect(createRegistry(builtinTools()).find("read_artifact")?.partial({ id: "t" })).toBe(
      '{"tool":"readArtifact","artifact":"t"}',
    );
  });
});
