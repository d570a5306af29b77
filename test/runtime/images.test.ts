import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Entry } from "../../machines/conversation/entry.ts";
import { allowEverything, defineTool } from "../../tools/index.ts";
import { DONE, messagesOf, openRig, PIXEL, type Rig } from "../support/host.ts";
import { pngOf } from "../support/png.ts";

const READ = "{ tool: read_file, input: { path: a.png } }";
const WORDS =
  "messages.1.content.0: At least one of the image dimensions exceed max allowed size: 8000 pixels";
const REFUSED = JSON.stringify({
  status: 400,
  body: { type: "error", error: { type: "invalid_request_error", message: WORDS } },
});
const imagesIn = (entries: readonly Entry[] = []): number =>
  JSON.stringify(entries).split('"image"').length - 1;
const put = (rig: Rig, bytes: Buffer) => writeFile(path.join(rig.dir, "a.png"), bytes);

describe("an image that no endpoint takes", () => {
  test.each([
    ["is too wide", pngOf(8_001, 1), "8001 x 1 pixels"],
    ["is damaged", pngOf(10, 10).subarray(0, 50), "damaged"],
  ])("is named in the result of read_file if it %s, and the task goes on", async (_, bytes, reason) => {
    await using rig = await openRig({ script: `[${READ}, ${DONE}]` });
    await put(rig, bytes);
    expect((await rig.task.run("Read it")).result).toBe("Done.");
    expect(rig.sent().map(imagesIn)).toEqual([0, 0]);
    expect(JSON.stringify(rig.sent()[1])).toContain(reason);
  });

  test("is named in its mention, and in the result of any tool", async () => {
    const shot = defineTool({
      name: "shot",
      displayName: "Shot",
      group: "custom",
      effect: "reads",
      description: "Takes a picture.",
      inputSchema: z.object({}),
      execute: async () => ({
        content: [
          {
            type: "image",
            source: { type: "base64", media_type: "image/jpeg", data: pngOf(1, 9_000).toString("base64") },
          },
          {
            type: "image",
            source: { type: "base64", media_type: "image/jpeg", data: pngOf(1, 1).toString("base64") },
          },
        ],
      }),
    });
    await using rig = await openRig({
      script: `[{ tool: shot, input: {} }, ${DONE}]`,
      tools: [shot],
      policy: allowEverything(),
    });
    await put(rig, pngOf(1, 8_001));
    await rig.task.run("Look at @a.png");
    expect(rig.sent().slice(0, 2).map(imagesIn)).toEqual([0, 1]);
    expect(JSON.stringify(rig.sent()[0])).toContain("of 1 x 8001 pixels");
    expect(JSON.stringify(rig.sent()[1])).toMatch(/of 1 x 9000 pixels.*"media_type":"image\/png"/);
  });

  test("is refused as an attachment of the user, by each way in", async () => {
    await using rig = await openRig({ script: `[${DONE}, ${DONE}]` });
    const urlOf = (bytes: Buffer, type = "png"): string =>
      `data:image/${type};base64,${bytes.toString("base64")}`;
    for (const [url, reason] of [
      [urlOf(pngOf(8_001, 1)), /8001 x 1 pixels/],
      [urlOf(pngOf(9, 9).subarray(0, 40)), /damaged/],
      [urlOf(Buffer.from("no image")), /the bytes of a PNG/],
      [urlOf(pngOf(1, 1), "jpeg"), /the type image\/png/],
    ] as const) {
      await expect(rig.task.run("See", { images: [url] })).rejects.toThrow(reason);
      expect(() => rig.task.queue("See", [url])).toThrow(reason);
    }
    await rig.task.run("See", { images: [PIXEL] });
    expect(rig.sent().map(imagesIn)).toEqual([1]);
  });
});

describe("an image that the endpoint refuses", () => {
  /** An endpoint that refuses requests with two images. */
  const refusing: typeof fetch = async (url, init) => {
    if (String(init?.body).split('"type":"image"').length < 3) return fetch(url, init);
    const error = { type: "error", error: { type: "invalid_request_error", message: WORDS } };
    return new Response(JSON.stringify(error), {
      status: 400,
      headers: { "content-type": "application/json" },
    });
  };

  test("is replaced by a text, once and durably, and the task goes on", async () => {
    await using rig = await openRig({ script: `[${READ}, ${DONE}]`, anthropic: { fetch: refusing } });
    await put(rig, pngOf(10, 10));
    expect((await rig.task.run("Read it", { images: [PIXEL] })).result).toBe("Done.");
    expect(rig.sent().map(imagesIn)).toEqual([1, 0]);
    expect(JSON.stringify(rig.sent()[1])).toContain("The endpoint refused the images of the request");
    expect(messagesOf(rig.task)).toContain("say:error");
    // The journal is compared with the task when the rig is disposed of.
    expect(imagesIn(rig.task.snapshot.context.conversation.toArray())).toBe(0);
  });

  test("ends the request if it has none: the same is not sent again", async () => {
    await using rig = await openRig({ script: `[${REFUSED}, ${DONE}]` });
    expect(await rig.task.run("Read it")).toMatchObject({ state: "idle", ask: "failure" });
    expect(rig.sent()).toHaveLength(1);
  });
});
