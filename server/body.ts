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
  expectJson(request.headers.get("content-type"));
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ServerError("BODY_INVALID", `The body is no JSON: ${why}. Send one JSON object, in UTF-8.`, {
      cause: error,
    });
  }
}

/** A form of another page can't say that it sends JSON. */
function expectJson(type: string | null): void {
  const [name = ""] = (type ?? "").split(";", 1);
  if (name.trim().toLowerCase() === "application/json") return;
  throw new ServerError(
    "BODY_TYPE",
    `The body is of type ${JSON.stringify(type ?? "")}: expected application/json. Say so in the header Content-Type.`,
  );
}

async function readBytes({ body }: Request, bytesMax: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > bytesMax) throw tooLarge(bytesMax);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const tooLarge = (bytesMax: number): ServerError =>
  new ServerError(
    "BODY_TOO_LARGE",
    `The body has more than ${bytesMax} bytes (the limit \`bodyBytes\`). Send less, or raise it where the server is made.`,
  );
