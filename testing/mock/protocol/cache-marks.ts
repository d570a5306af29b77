import { z } from "zod";
import { invalidRequest } from "./api-error.ts";
import { type MessagesRequest, type RequestBlock, read } from "./request.ts";

/** Maximum blocks with a cache mark per request. */
export const cacheMarksMax = 4;

const cacheControl = z.looseObject({
  type: z.literal("ephemeral", { error: "Input should be 'ephemeral'" }),
  ttl: z.enum(["5m", "1h"], { error: "Input should be '5m' or '1h'" }).optional(),
});

/**
 * Reject cache marks that are invalid, too many, or longer than one before them.
 *
 * @throws ApiError 400
 */
export function validateCacheMarks(request: MessagesRequest): void {
  let count = 0;
  let hasShort = false;
  for (const { path, block } of partsOf(request)) {
    const mark = block.cache_control;
    if (mark === undefined || mark === null) continue;
    count += 1;
    const { ttl = "5m" } = read(cacheControl, mark, [...path, "cache_control"]);
    if (ttl === "1h" && hasShort)
      throw invalidRequest(
        `${path.join(".")}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
      );
    hasShort ||= ttl === "5m";
  }
  if (count > cacheMarksMax)
    throw invalidRequest(
      `A maximum of ${cacheMarksMax} blocks with cache_control may be provided. Found ${count}.`,
    );
}

interface Part {
  readonly path: readonly (string | number)[];
  readonly block: Readonly<Record<string, unknown>>;
}

/** The parts that may have a cache mark, in the order in which the API caches them. */
function* partsOf({ tools = [], system = [], messages }: MessagesRequest): Generator<Part> {
  for (const [index, block] of tools.entries()) yield { path: ["tools", index], block };
  if (typeof system !== "string")
    for (const [index, block] of system.entries()) yield { path: ["system", index], block };
  for (const [index, { content }] of messages.entries())
    for (const [place, block] of content.entries())
      yield { path: ["messages", index, "content", place], block: sentOf(block) };
}

const sentOf = (block: RequestBlock): Part["block"] =>
  block.type === "other" || block.type === "server_tool_result" ? block.raw : block;
