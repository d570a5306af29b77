import { ServerError } from "./error.ts";

/**
 * The JSON of a request's body; `undefined` where it has none.
 * @throws ServerError `BODY_TYPE`, `BODY_TOO_LARGE`, `BODY_INVALID`
 */
export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > bytesMax) throw tooLarge(bytesMax);
  const bytes = await readBytes(request, bytesMax);
  if (bytes.length === 0) return undefined;
  assertJson(request.headers.get("content-type"));
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ServerError("BODY_INVALID", `Expected a JSON object in UTF-8 as the body: ${why}.`, {
      cause: error,
    });
  }
}

/** Another site's form can't send this content type. */
function assertJson(type: string | null): void {
  const [name = ""] = (type ?? "").split(";", 1);
  if (name.trim().toLowerCase() === "application/json") return;
  throw new ServerError(
    "BODY_TYPE",
    `Expected Content-Type application/json, got ${JSON.stringify(type ?? "")}.`,
  );
}

async function readBytes({ body }: Request, bytesMax: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (bytesMax: number): ServerError =>
  new ServerError(
    "BODY_TOO_LARGE",
    `Expected at most ${bytesMax} bytes in the body, the limit \`bodyBytes\`. Send less, or raise the server's limit.`,
  );
