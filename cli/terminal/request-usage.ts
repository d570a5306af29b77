import { type ClineMessage, requestInfo } from "../../machines/message/index.ts";
import { sayUsage } from "../show/index.ts";

/** What a closed request's row says of its tokens and their price; nothing for one that used none. */
export function requestUsage(row: ClineMessage): string {
  const { tokensIn = 0, tokensOut = 0, cacheWrites = 0, cacheReads = 0, cost = 0 } = requestInfo(row) ?? {};
  if (tokensIn + tokensOut + cacheWrites + cacheReads === 0) return "";
  return sayUsage({ tokensIn, tokensOut, cacheWrites, cacheReads, cost });
}
