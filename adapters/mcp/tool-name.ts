import { createHash } from "node:crypto";

/** Characters of a name that endpoints accept. */
const NAME_MAX_CHARS = 64;
const DIGEST_CHARS = 12;
/** No `__`, and no `_` at an end: so the first `__` of `server__tool` is between them. */
const PLAIN_SERVER = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;
const PLAIN_TOOL = /^[A-Za-z0-9_-]+$/;

/**
 * The name under which the model gets a tool of a server, of 1 to 64 letters, digits, `_` and `-`: `server__tool`, or, where
 * that is not possible or not unambiguous, `mcp-` with a digest of both names and what is left of them. No two tools have
 * the same name.
 */
export function modelToolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  if (PLAIN_SERVER.test(server) && PLAIN_TOOL.test(tool) && plain.length <= NAME_MAX_CHARS) return plain;
  const digest = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex");
  const rest = `${server}-${tool}`.replaceAll(/[^A-Za-z0-9-]+/g, "-");
  return `mcp-${digest.slice(0, DIGEST_CHARS)}-${rest}`.slice(0, NAME_MAX_CHARS);
}
