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

  test("shows the id, and has no path", async () => {
    const description = await prepared({ id: "t1" }).describe({ workspace: await openWorkspace(".") });
    expect(description).toEqual({ text: '{"tool":"readArtifact","artifact":"t1"}', paths: [] });
    expect(createRegistry(builtinTools()).find("read_artifact")?.partial({ id: "t" })).toBe(
      '{"tool":"readArtifact","artifact":"t"}',
    );
  });
});
