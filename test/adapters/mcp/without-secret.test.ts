import { expect, test } from "vitest";
import { assertSecure } from "../../../adapters/mcp/authorization-fetch.ts";
import { withoutSecret } from "../../../adapters/mcp/without-secret.ts";

/** The text of a stream of these chunks. */
const masked = (secret: string, ...chunks: readonly string[]): Promise<string> =>
  new Response(
    ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk))).pipeThrough(withoutSecret(secret)),
  ).text();

test("a secret is masked wherever a stream is split, and the rest of the stream stays", async () => {
  const secret = "tok-tok-token";
  const text = `tok-${secret}${secret}: tok-tok`;
  for (let first = 0; first <= text.length; first += 1)
    for (let second = first; second <= text.length; second += 1) {
      const chunks = [text.slice(0, first), text.slice(first, second), text.slice(second)];
      expect(await masked(secret, ...chunks)).toBe("tok-[masked][masked]: tok-tok");
    }
});

test("a text that is too short for a secret is not masked", async () => {
  expect(await masked("id", '{"id":1}')).toBe('{"id":1}');
});

test("a server over HTTPS can't name an address of a login without it", () => {
  const server = "https://mcp.example/mcp";
  expect(() => assertSecure(new URL("https://login.example/authorize"), server)).not.toThrow();
  for (const address of ["http://127.0.0.1/authorize", "http://10.0.0.1/", "file:///etc/passwd"])
    expect(() => assertSecure(new URL(address), server)).toThrow("Expected an https address");
  expect(() => assertSecure(new URL("javascript:alert(1)"), "http://127.0.0.1/mcp")).toThrow(
    "Expected an https",
  );
});
