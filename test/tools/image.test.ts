import { describe, expect, test } from "vitest";
import { toolResult } from "../../adapters/mcp/result.ts";
import { formatFile } from "../../tools/file-content.ts";
import { checkImage } from "../../tools/image.ts";
import { jpegOf } from "../support/jpeg.ts";
import { pngOf } from "../support/png.ts";

const le16 = (value: number): readonly number[] => [value & 255, value >> 8];

const gifOf = (width: number, height: number): Buffer =>
  Buffer.from([...Buffer.from("GIF89a"), ...le16(width), ...le16(height), 0, 0, 0, 0x2c, 0, 0x3b]);
function webpOf(width: number, height: number): Buffer {
  const data = [0x30, 1, 0, 0x9d, 0x01, 0x2a, ...le16(width), ...le16(height), 0, 0];
  const chunk = [...Buffer.from("WEBPVP8 "), data.length, 0, 0, 0, ...data];
  return Buffer.from([...Buffer.from("RIFF"), chunk.length, 0, 0, 0, ...chunk]);
}

const images = { png: pngOf, jpeg: jpegOf, gif: gifOf, webp: webpOf };

describe.each(Object.entries(images))("an image of the type %s", (type, imageOf) => {
  test("is shown with the type of its bytes, whatever its name says", () => {
    const whole = imageOf(20, 8_000);
    const source = { type: "base64", media_type: `image/${type}`, data: whole.toString("base64") };
    expect(checkImage(whole)).toEqual({ ok: true, image: { type: "image", source } });
    expect(formatFile("a.txt", whole)[1]).toEqual({ type: "image", source });
  });

  test.each([
    [8_001, 20],
    [20, 8_001],
  ])("of %i x %i pixels is refused, with what is accepted", (width, height) => {
    expect(() => formatFile(`a.${type}`, imageOf(width, height))).toThrow(
      `'a.${type}' is an image of ${width} x ${height} pixels: at most 8000 a side can be shown`,
    );
  });

  test("without an end, or with a broken header, is refused as damaged", () => {
    const whole = imageOf(20, 20);
    const half = whole.subarray(0, Math.floor(whole.length / 2));
    const head = whole.subarray(0, 12);
    for (const bytes of [half, head]) {
      expect(checkImage(bytes)).toMatchObject({ ok: false, code: "BINARY" });
      expect(() => formatFile(`a.${type}`, bytes)).toThrow("is an image that is damaged");
    }
  });

  test("with more bytes than are accepted is refused", () => {
    expect(checkImage(imageOf(20, 20), 10)).toMatchObject({ ok: false, code: "TOO_LARGE" });
  });

  test("of an MCP server that no endpoint takes is named in its place", () => {
    const contentOf = (bytes: Buffer) =>
      toolResult({ content: [{ type: "image", data: bytes.toString("base64"), mimeType: "image/png" }] })
        .content;
    expect(contentOf(imageOf(9_000, 1))).toEqual([
      { type: "text", text: expect.stringContaining("of 9000 x 1 pixels") },
    ]);
    expect(contentOf(imageOf(9, 1).subarray(0, 14))).toEqual([
      { type: "text", text: expect.stringContaining("damaged") },
    ]);
  });
});

test("a PNG with a changed byte is refused as damaged", () => {
  const png = pngOf(50, 50);
  png[45] = (png[45] ?? 0) ^ 1;
  expect(checkImage(png)).toMatchObject({ ok: false, reason: expect.stringContaining("damaged") });
});

test("a PNG with a damaged chunk that decoders leave out is shown, and one with damaged data is refused", () => {
  const whole = pngOf(20, 20);
  const end = whole.length - 12;
  const chunk = Buffer.from([0, 0, 0, 1, ...Buffer.from("tEXt"), 65, 1, 2, 3, 4]);
  expect(checkImage(Buffer.concat([whole.subarray(0, end), chunk, whole.subarray(end)]))?.ok).toBe(true);
  const broken = Buffer.from(whole);
  broken.writeUInt8(broken.readUInt8(end - 1) ^ 1, end - 1);
  expect(checkImage(broken)?.ok).toBe(false);
});
