import type { ImageBlock } from "../../machines/conversation/entry.ts";
import { ToolError } from "../error.ts";
import { checkImage } from "../image.ts";
import type { Body } from "./body.ts";
import { binary, isHtml, isText, isUnknown } from "./content-type.ts";

/** The content of a body for the model. */
export type WebContent =
  | { readonly kind: "html" | "text"; readonly text: string }
  | { readonly kind: "image"; readonly image: ImageBlock };

/**
 * The content of a body for the model. The named type and the bytes must agree.
 *
 * @throws ToolError `BINARY` for anything but text and images, and for a damaged image; `TOO_LARGE` for an image
 */
export function contentOf({ type, charset, bytes }: Body, maxImageBytes: number): WebContent {
  const checked = isText(type) ? undefined : checkImage(bytes, maxImageBytes);
  if (checked?.ok === true) return { kind: "image", image: checked.image };
  if (checked !== undefined)
    throw new ToolError(checked.code, `The URL has an image ${checked.reason}, or fetch another one.`);
  if (!isText(type) && !isUnknown(type)) throw binary(`${type} that is no such image`);
  const text = decode(bytes, type, charset);
  if (text === undefined) throw binary(type === "" ? "binary data without a type" : `binary data as ${type}`);
  return { kind: isHtml(type) ? "html" : "text", text };
}

/** First bytes of files that are not text, but may have few characters that show it. */
const SIGNATURES: readonly string[] = ["%PDF-", "%!PS", "PK\x03\x04", "\x1f\x8b", "Rar!", "7z\xbc\xaf"];
/** Characters that text does not have. */
const ODD = /(?!\s)\p{Cc}|\ufffd/gu;
/** Share of such characters from which a text counts as binary. */
const ODD_SHARE = 0.05;

/** The text of bytes; undefined for binary data. */
function decode(bytes: Uint8Array, type: string, charset: string | undefined): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  if (SIGNATURES.some((signature) => head.startsWith(signature))) return undefined;
  const named = markOf(head) ?? charset ?? (isHtml(type) ? charsetIn(head) : undefined);
  const text =
    decodeAs(named, bytes) ?? decodeAs(UTF_8, bytes, true) ?? decodeAs("windows-1252", bytes) ?? "";
  let odd = 0;
  for (const _ of text.matchAll(ODD)) odd += 1;
  return odd > text.length * ODD_SHARE ? undefined : text;
}

const UTF_8 = "utf-8";

/** The character set that a byte order mark tells. */
function markOf(head: string): string | undefined {
  if (head.startsWith("\xef\xbb\xbf")) return UTF_8;
  if (head.startsWith("\xfe\xff")) return "utf-16be";
  return head.startsWith("\xff\xfe") ? "utf-16le" : undefined;
}

/** The character set that an HTML page names itself. It is none of 16 bits: its name could not be read. */
function charsetIn(head: string): string | undefined {
  const named = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1];
  return named !== undefined && /^utf-?16/i.test(named) ? UTF_8 : named;
}

/** Undefined for an unknown character set, and for bytes that are not `strict`ly in it. */
function decodeAs(charset: string | undefined, bytes: Uint8Array, strict = false): string | undefined {
  if (charset === undefined) return undefined;
  try {
    return new TextDecoder(charset, { fatal: strict }).decode(bytes);
  } catch {
    return undefined;
  }
}
